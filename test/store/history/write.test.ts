import { join } from "node:path";
import { sha256Hex, type Sha256 } from "../../../src/base/sha256.js";
import { openHistory } from "../../../store/history/open.js";
import { getBlob, latestEntry, listEntries, resolveRecord } from "../../../store/history/read.js";
import { verifyHistory } from "../../../store/history/verify.js";
import { appendRecord } from "../../../store/history/write.js";
import { assert, inTemporaryFolder, test, throws } from "../../support/test.js";
import { recordOf, withHistory } from "../../support/history.js";
import { appendInProcess } from "../../support/history-writer.js";

test(
  "records come back by their digest, with their attachments",
  withHistory((history) => {
    const attachments = [Buffer.from("a page"), new Uint8Array([1, 2, 3]).subarray(1)];
    const appended = appendRecord(history, recordOf("one", { attachments }));
    assert.equal(appended, { seq: 1, sha256: sha256Hex("one"), known: false });
    assert.is(getBlob(history, appended.sha256).toString(), "one");
    const digests = attachments.map((bytes) => sha256Hex(bytes)).sort();
    assert.equal(latestEntry(history, "run"), {
      seq: 1,
      kind: "run",
      actor: "ana",
      at: "2026-03-01T12:00:00Z",
      sha256: appended.sha256,
      size: 3,
      attachments: digests,
    });
    assert.equal([...getBlob(history, sha256Hex(Buffer.from([2, 3])))], [2, 3]);
    throws(() => getBlob(history, sha256Hex("unknown")), "RECORD_NOT_FOUND");
  }),
);

test(
  "the same record of the same kind is written once, of another kind again",
  withHistory((history) => {
    appendRecord(history, recordOf("one"));
    const again = appendRecord(history, recordOf("one", { at: "2026-03-02T12:00:00Z", actor: "bob" }));
    assert.equal(again, { seq: 1, sha256: sha256Hex("one"), known: true });
    assert.is(appendRecord(history, recordOf("one", { kind: "report" })).seq, 2);
    assert.is(listEntries(history).length, 2);
    const attachments = [Buffer.from("new")];
    assert.equal(appendRecord(history, recordOf("one", { attachments })), again);
    assert.equal(listEntries(history)[0]?.attachments, []);
    assert.is(history.database.prepare("SELECT count(*) FROM blob").pluck().get(), 1);
  }),
);

test(
  "entries are listed in order, by kind, and the latest is the last one",
  withHistory((history) => {
    for (const text of ["a", "b", "c"]) appendRecord(history, recordOf(text));
    appendRecord(history, recordOf("d", { kind: "policy" }));
    const seqs = (kind: "run" | "policy" | "export") => listEntries(history, { kind }).map((entry) => entry.seq);
    assert.equal([seqs("run"), seqs("policy"), seqs("export")], [[1, 2, 3], [4], []]);
    assert.is(latestEntry(history, "run")?.seq, 3);
    assert.is(latestEntry(history, "export"), undefined);
  }),
);

test(
  "a record is found by a prefix of its id; a doubtful or unknown one is named",
  withHistory((history) => {
    const texts = Array.from({ length: 600 }, (_, i) => `record ${i}`);
    history.database.exec("BEGIN");
    for (const text of texts) appendRecord(history, recordOf(text));
    history.database.exec("COMMIT");
    const ids = texts.map((text) => sha256Hex(text));
    const twin = ids.find((id) => ids.filter((other) => other.startsWith(id.slice(0, 4))).length > 1) ?? "";
    assert.is(resolveRecord(history, "run", twin.slice(0, 20).toUpperCase()).sha256, twin);
    const error = throws(() => resolveRecord(history, "run", twin.slice(0, 4)), "RECORD_AMBIGUOUS");
    assert.match(error.message, twin.slice(0, 16));
    const missing = throws(() => resolveRecord(history, "report", twin), "RECORD_NOT_FOUND");
    assert.match(missing.message, "report");
    assert.match(missing.hint ?? "", "no report yet");
    const unknown = throws(() => resolveRecord(history, "run", "00000000000000"), "RECORD_NOT_FOUND");
    assert.match(unknown.hint ?? "", "sluice history log --kind run");
    for (const text of ["", "abc", "latest", `${twin}0`, "%___"]) {
      throws(() => resolveRecord(history, "run", text), "RECORD_NOT_FOUND");
    }
  }),
);

test(
  "a time in another form is refused",
  withHistory((history) => {
    throws(() => appendRecord(history, recordOf("one", { at: "2026-03-01T12:00:00.5Z" })), "DOCUMENT_INVALID");
    assert.is(listEntries(history).length, 0);
  }),
);

const forbidden: readonly string[] = [
  "UPDATE entry SET actor = 'eve'",
  "UPDATE OR REPLACE entry SET seq = 2",
  "UPDATE blob SET size = 9",
  "UPDATE attachment SET seq = 9",
  "DELETE FROM entry",
  "DELETE FROM blob",
  "DELETE FROM attachment WHERE seq = 1",
  "REPLACE INTO entry SELECT * FROM entry",
  "INSERT OR IGNORE INTO entry SELECT * FROM entry",
  "INSERT INTO entry SELECT * FROM entry WHERE true ON CONFLICT(seq) DO UPDATE SET actor = 'eve'",
  "INSERT INTO entry SELECT * FROM entry WHERE true ON CONFLICT DO NOTHING",
  "REPLACE INTO blob SELECT sha256, size, bytes FROM blob",
  "REPLACE INTO attachment SELECT * FROM attachment",
  "INSERT INTO blob VALUES(randomblob(32), 5, x'00')",
  "INSERT INTO blob VALUES(randomblob(31), 1, x'00')",
  "INSERT INTO blob VALUES(randomblob(32), 1, '0')",
  "INSERT INTO entry SELECT 3, randomblob(32), x'', at, kind, actor, randomblob(32), body FROM entry",
  "INSERT INTO entry SELECT NULL, randomblob(32), x'', at, 'policy', actor, record, body FROM entry",
  "INSERT INTO entry SELECT 2, randomblob(32), x'', at, '', actor, record, body FROM entry",
  "INSERT INTO entry SELECT 2, randomblob(32), x'00', at, 'policy', actor, record, body FROM entry",
  "INSERT INTO entry SELECT 2, randomblob(32), x'', at, 'policy', actor, randomblob(32), body FROM entry",
  "INSERT INTO attachment SELECT 7, sha256 FROM blob",
];
for (const sql of forbidden) {
  for (const recursive of ["ON", "OFF"]) {
    test(
      `refused with recursive_triggers ${recursive}: ${sql}`,
      withHistory((history) => {
        appendRecord(history, recordOf("one", { attachments: [Buffer.from("x")] }));
        const before = verifyHistory(history);
        history.database.pragma(`recursive_triggers = ${recursive}`);
        assert.throws(
          () => history.database.exec(sql),
          /never|already|gaps|constraint|written with|cannot store|unknown kind/,
        );
        assert.equal(verifyHistory(history), before);
      }),
    );
  }
}

test(
  "a full database refuses the whole record and is sound afterwards",
  withHistory((history) => {
    appendRecord(history, recordOf("one"));
    const pages = Number(history.database.pragma("page_count", { simple: true }));
    history.database.pragma(`max_page_count = ${pages + 20}`);
    const before = verifyHistory(history);
    const attachments = [Buffer.alloc(200_000, 7)];
    const error = throws(() => appendRecord(history, recordOf("two", { attachments })), "WRITE_FAILED");
    assert.match(error.message, "the disk is full, nothing was written");
    assert.equal(verifyHistory(history), before);
    history.database.pragma("max_page_count = 100000");
    assert.is(appendRecord(history, recordOf("two", { attachments })).seq, 2);
    assert.is(verifyHistory(history).entries, 2);
  }),
);

test("four processes that create and write one history lose nothing of 2,000 records", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "history.db");
    const outcomes = await Promise.all(["a", "b", "c", "d"].map((name) => appendInProcess({ path, name, count: 500 })));
    const history = openHistory(path);
    assert.is(verifyHistory(history).entries, 2000);
    const kept = new Set(listEntries(history).map(({ sha256 }) => sha256));
    for (const { acknowledged, error } of outcomes) {
      assert.is(error, null);
      assert.is(acknowledged.filter((id) => kept.has(id as Sha256)).length, 500);
    }
    history.close();
  }));

test("a file size limit of the system is reported as a full disk and leaves a sound history", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "history.db");
    const options = { path, name: "a", count: 1000, size: 10_000, fileBlocks: 512 };
    const { acknowledged, error } = await appendInProcess(options);
    assert.is(error, "WRITE_FAILED");
    assert.ok(acknowledged.length > 0);
    const history = openHistory(path);
    assert.is(verifyHistory(history).entries, acknowledged.length);
    history.close();
  }));

test(
  "a process that holds the lock for too long is reported",
  withHistory((history, path) => {
    const other = openHistory(path, { busyTimeoutMs: 20 });
    history.database.exec("BEGIN IMMEDIATE");
    throws(() => appendRecord(other, recordOf("one")), "DB_BUSY");
    history.database.exec("COMMIT");
    assert.is(appendRecord(other, recordOf("one")).seq, 1);
    other.close();
  }),
);
