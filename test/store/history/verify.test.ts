import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openHistory } from "../../../store/history/open.js";
import { getBlob, listEntries } from "../../../store/history/read.js";
import { verifyHistory } from "../../../store/history/verify.js";
import { appendRecord } from "../../../store/history/write.js";
import { assert, inTemporaryFolder, test, throws } from "../../support/test.js";
import { recordOf, reopened, tamperWith } from "../../support/history.js";
import { sha256Hex } from "../../../src/base/sha256.js";

const texts = ["first record", "second record", "third record", "fourth record"];

function fill(path: string): void {
  const history = openHistory(path, { create: true });
  for (const text of texts) {
    const attachments = [Buffer.from(`attached to ${text}`)];
    appendRecord(history, recordOf(text, { kind: "evaluation", attachments }));
  }
  history.close();
}

function withPath(run: (path: string) => void): () => Promise<void> {
  return () =>
    inTemporaryFolder((folder) => {
      const path = join(folder, "history.db");
      fill(path);
      run(path);
    });
}

test(
  "an untouched history has a root that depends on its content only",
  withPath((path) => {
    const verified = reopened(path, verifyHistory);
    assert.is(verified.entries, texts.length);
    const second = `${path}-2`;
    fill(second);
    assert.equal(reopened(second, verifyHistory), verified);
  }),
);

test("an empty history verifies, with the root of nothing", () =>
  inTemporaryFolder((folder) => {
    const history = openHistory(join(folder, "history.db"), { create: true });
    const root = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert.equal(verifyHistory(history), { entries: 0, root, unused_blobs: 0, unused_pages: [] });
    history.close();
  }));

const edits: readonly (readonly [string, string, string])[] = [
  ["an edited actor", "UPDATE entry SET actor = 'eve' WHERE seq = 2", "entry 2"],
  ["an edited time", "UPDATE entry SET at = '2026-03-02T12:00:00Z' WHERE seq = 3", "entry 3"],
  ["an edited kind", "UPDATE entry SET kind = 'report' WHERE seq = 1", "entry 1"],
  ["an edited body", "UPDATE entry SET body = x'7b7d' WHERE seq = 2", "entry 2"],
  ["an edited leaf", "UPDATE entry SET leaf = zeroblob(32) WHERE seq = 4", "entry 4"],
  ["a removed attachment", "DELETE FROM attachment WHERE seq = 2", "entry 2"],
  ["a deleted entry in the middle", "DELETE FROM entry WHERE seq = 2; DELETE FROM attachment WHERE seq = 2", "entry 2"],
  ["a deleted first entry", "DELETE FROM entry WHERE seq = 1; DELETE FROM attachment WHERE seq = 1", "entry 1"],
  [
    "two entries that changed places",
    "UPDATE entry SET seq = 99 WHERE seq = 2; UPDATE entry SET seq = 2 WHERE seq = 3; UPDATE entry SET seq = 3 WHERE seq = 99",
    "entry 2",
  ],
  [
    "an edited record",
    "UPDATE blob SET bytes = CAST('Second record' AS BLOB) WHERE bytes = CAST('second record' AS BLOB)",
    "entry 2",
  ],
  [
    "an edited attachment",
    "UPDATE blob SET bytes = zeroblob(size) WHERE bytes = CAST('attached to third record' AS BLOB)",
    "entry 3",
  ],
  ["a deleted record", "DELETE FROM blob WHERE bytes = CAST('third record' AS BLOB)", "missing blob"],
];
for (const [name, sql, named] of edits) {
  test(
    `${name} is found and named`,
    withPath((path) => {
      tamperWith(path, sql);
      const error = reopened(path, (history) => throws(() => verifyHistory(history), "HISTORY_TAMPERED"));
      assert.match(error.message, named);
    }),
  );
}

test(
  "entries that were cut off at the end show in the root",
  withPath((path) => {
    const before = reopened(path, verifyHistory);
    tamperWith(path, "DELETE FROM attachment WHERE seq = 4; DELETE FROM entry WHERE seq = 4");
    const after = reopened(path, verifyHistory);
    assert.is(after.entries, before.entries - 1);
    assert.is.not(after.root, before.root);
  }),
);

test(
  "a flipped bit in the content of a record, which SQLite does not notice, is found",
  withPath((path) => {
    const bytes = readFileSync(path);
    for (let at = bytes.indexOf("second record"); at >= 0; at = bytes.indexOf("second record")) {
      bytes[at] = (bytes[at] ?? 0) ^ 1;
    }
    writeFileSync(path, bytes);
    reopened(path, (history) => {
      assert.is(history.database.pragma("integrity_check", { simple: true }), "ok");
      const error = throws(() => verifyHistory(history), "HISTORY_TAMPERED");
      assert.match(error.message, "entry 2");
      const second = listEntries(history)[1];
      throws(() => getBlob(history, second?.sha256 ?? sha256Hex("")), "HISTORY_TAMPERED");
    });
  }),
);

test(
  "a damaged page is reported as damage",
  withPath((path) => {
    const bytes = readFileSync(path);
    const pageBytes = bytes.readUInt16BE(16);
    for (let page = 1; page * pageBytes < bytes.length; page += 1)
      bytes.fill(0xaa, page * pageBytes, page * pageBytes + 16);
    writeFileSync(path, bytes);
    throws(() => reopened(path, verifyHistory), "HISTORY_TAMPERED");
  }),
);
