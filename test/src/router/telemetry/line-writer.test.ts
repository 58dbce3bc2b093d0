import { closeSync, openSync, readFileSync, write } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { LineWriter } from "../../../../src/router/telemetry/line-writer.js";
import { assert, inTemporaryFolder, test } from "../../../support/test.js";

const writeSome = promisify(write);

test("lines reach a real file whole and in order", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "log");
    const file = openSync(path, "w");
    const writer = new LineWriter({ write: async (bytes) => (await writeSome(file, bytes)).bytesWritten });
    for (let i = 0; i < 1000; i += 1) writer.write(`line ${i}\n`);
    await writer.flush();
    closeSync(file);
    assert.is(readFileSync(path, "utf8"), Array.from({ length: 1000 }, (_, i) => `line ${i}\n`).join(""));
  }));

test("a full disk loses only lines beyond the bound, and logging resumes when there is room", async () => {
  let room = 5;
  let text = "";
  const recovered: number[] = [];
  const writer = new LineWriter({
    maxWaitingBytes: 12,
    onRecovered: (lost) => recovered.push(lost),
    write: async (bytes) => {
      if (room === 0) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
      const taken = Buffer.from(bytes).subarray(0, room);
      room -= taken.length;
      text += taken.toString("utf8");
      return taken.length;
    },
  });
  writer.write("aaa\n");
  writer.write("bbb\n");
  await writer.flush();
  assert.is(text, "aaa\nb", "the second line was cut by the full disk");
  for (const line of ["ccc\n", "ddd\n", "eee\n", "fff\n"]) writer.write(line);
  await writer.flush();
  assert.is(writer.lostLines, 2);
  room = 1000;
  await writer.flush();
  assert.is(text, "aaa\nbbb\nccc\nddd\n");
  assert.equal(recovered, [2]);
  writer.write("ggg\n");
  await writer.flush();
  assert.ok(text.endsWith("ddd\nggg\n"));
  assert.equal([writer.lostLines, recovered.length], [2, 1]);
});

test("a device that is always full never throws at the writer of a line", async () => {
  const file = openSync("/dev/full", "w");
  let isFull = true;
  const writer = new LineWriter({
    write: async (bytes) => (isFull ? (await writeSome(file, bytes)).bytesWritten : bytes.length),
  });
  writer.write("lost\n");
  await writer.flush();
  assert.is(writer.lostLines, 0, "the line still waits");
  // A writer that tries again would write to whatever file gets this descriptor next.
  isFull = false;
  await writer.flush();
  closeSync(file);
});
