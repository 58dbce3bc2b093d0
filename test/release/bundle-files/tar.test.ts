import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDirectory } from "../../../src/trust/directory-hash.js";
import { writeFolder } from "../../../release/bundle-files/write-folder.js";
import { readTar, writeTar } from "../../../release/bundle-files/tar.js";
import type { ErrorCode } from "../../../src/base/error-codes.js";
import { assert, inTemporaryFolder, rejects, test, throws } from "../../support/test.js";
import { writeTestBundle } from "../../support/builders-artifacts.js";
import { checkTestBundle } from "../../support/verify-test-bundle.js";

const files = new Map(
  Object.entries({
    b: "second",
    "a/empty": "",
    "a/block": "x".repeat(512),
    [`${"d".repeat(90)}/${"f".repeat(60)}`]: "long",
  }).map(([path, text]) => [path, Buffer.from(text)]),
);

test("what is written is read again, and the order of the files does not matter", () => {
  const archive = writeTar(files);
  const read = readTar(archive);
  assert.is(read.size, files.size);
  for (const [path, bytes] of files) assert.ok(read.get(path)?.equals(bytes), path);
  assert.ok(writeTar(new Map([...files].reverse())).equals(archive));
});

test("tar unpacks it", () =>
  inTemporaryFolder(async (folder) => {
    writeFileSync(join(folder, "x.tar"), writeTar(files));
    execFileSync("tar", ["-xf", "x.tar", "--one-top-level=out"], { cwd: folder });
    assert.equal((await readDirectory(join(folder, "out"))).entries.length, files.size);
    assert.is(readFileSync(join(folder, "out", "b"), "utf8"), "second");
  }));

/** Changes the header of the only file and rewrites its checksum, as an attacker does. */
function withHeader(change: (header: Buffer) => void): Buffer {
  const archive = writeTar(new Map([["file", Buffer.from("content")]]));
  const header = archive.subarray(0, 512);
  change(header);
  header.fill(0x20, 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return archive;
}

const one = writeTar(new Map([["file", Buffer.from("content")]]));
const named = (name: string) => withHeader((header) => void header.fill(0, 0, 100).write(name, 0));
const typed = (type: string) => withHeader((header) => void header.write(type, 156));

const refused: readonly (readonly [string, Buffer, ErrorCode])[] = [
  ["a path that leaves the folder", named("../file"), "FILE_REFUSED"],
  ["a path that leaves it in the middle", named("a/../../file"), "FILE_REFUSED"],
  ["an absolute path", named("/etc/passwd"), "FILE_REFUSED"],
  ["a backslash", named("a\\b"), "FILE_REFUSED"],
  ["an empty name", named(""), "FILE_REFUSED"],
  ["a hard link", typed("1"), "NOT_CANONICAL"],
  ["a symbolic link", typed("2"), "NOT_CANONICAL"],
  ["a character device", typed("3"), "NOT_CANONICAL"],
  ["a block device", typed("4"), "NOT_CANONICAL"],
  ["a folder", typed("5"), "NOT_CANONICAL"],
  ["a fifo", typed("6"), "NOT_CANONICAL"],
  ["an extended header", typed("x"), "NOT_CANONICAL"],
  ["a long name of GNU tar", typed("L"), "NOT_CANONICAL"],
  ["a size beyond the end", withHeader((header) => void header.write("77777777777", 124)), "NOT_CANONICAL"],
  ["a size in base 256", withHeader((header) => void header.fill(0x80, 124, 136)), "NOT_CANONICAL"],
  ["a time", withHeader((header) => void header.write("1", 146)), "NOT_CANONICAL"],
  ["a duplicate", Buffer.concat([one.subarray(0, 1024), one]), "NOT_CANONICAL"],
  ["trailing data", Buffer.concat([one, Buffer.alloc(512, 1)]), "NOT_CANONICAL"],
  [
    "data in the padding",
    Buffer.concat([one.subarray(0, 1000), Buffer.from("x"), one.subarray(1001)]),
    "NOT_CANONICAL",
  ],
  ["a cut end", one.subarray(0, 1024), "NOT_CANONICAL"],
  ["nothing", Buffer.alloc(0), "NOT_CANONICAL"],
  ["garbage", Buffer.alloc(4096, 7), "NOT_CANONICAL"],
];
for (const [name, archive, code] of refused) {
  test(`case 67: an archive with ${name} is refused`, () => {
    throws(() => readTar(archive), code);
  });
}

test("an exported bundle is imported as it was, once", () =>
  inTemporaryFolder(async (folder) => {
    await writeTestBundle(join(folder, "bundle"));
    const content = await readDirectory(join(folder, "bundle"));
    const archive = writeTar(content.files);
    const directory = join(folder, "imported");
    await writeFolder({ files: readTar(archive), directory, check: checkTestBundle });
    assert.equal((await readDirectory(directory)).entries, content.entries);
    await rejects(writeFolder({ files: readTar(archive), directory, check: checkTestBundle }), "FILE_EXISTS");
    assert.equal(readdirSync(folder).sort(), ["bundle", "imported"]);
  }));

test("case 68: an import that does not verify, or is interrupted, leaves nothing, and a repeat succeeds", () =>
  inTemporaryFolder(async (folder) => {
    await writeTestBundle(join(folder, "bundle"));
    const { files: content } = await readDirectory(join(folder, "bundle"));
    const directory = join(folder, "imported");
    const forged = writeTar(new Map([...content, ["policy.json", Buffer.from("{}")]]));
    await rejects(writeFolder({ files: readTar(forged), directory, check: checkTestBundle }), "HASH_MISMATCH");
    const interrupted = async (staged: string): Promise<void> => {
      assert.ok(existsSync(join(staged, "bundle.json")));
      assert.not.ok(existsSync(directory));
      throw new Error("interrupted");
    };
    await rejects(writeFolder({ files: readTar(writeTar(content)), directory, check: interrupted }), "WRITE_FAILED");
    assert.equal(readdirSync(folder), ["bundle"]);
    await writeFolder({ files: readTar(writeTar(content)), directory, check: checkTestBundle });
  }));
