import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { openHistory } from "../../../store/history/open.js";
import { listEntries } from "../../../store/history/read.js";
import { verifyHistory } from "../../../store/history/verify.js";
import { appendRecord } from "../../../store/history/write.js";
import { assert, inTemporaryFolder, test, throws } from "../../support/test.js";
import { recordOf, reopened } from "../../support/history.js";

const note = (text: string) => recordOf(text, { kind: "catalog" });

function withHistory(run: (path: string) => void): () => Promise<void> {
  return () =>
    inTemporaryFolder((folder) => {
      const path = join(folder, "history.db");
      const history = openHistory(path, { create: true });
      appendRecord(history, note("first"));
      history.close();
      run(path);
    });
}

/** Changes the file as another program would, without our pragmas and with everything allowed. */
function tamper(path: string, sql: string): void {
  const database = new Database(path);
  database.unsafeMode(true);
  database.exec(sql);
  database.close();
}

test(
  "every connection writes fully to the disk and checks references",
  withHistory((path) => {
    for (const options of [{}, { create: true }, { readOnly: true }]) {
      reopened(
        path,
        ({ database }) => {
          const read = (name: string) => database.pragma(name, { simple: true });
          assert.is(read("synchronous"), 2);
          assert.is(read("foreign_keys"), 1);
          assert.is(read("recursive_triggers"), 1);
          assert.is(read("trusted_schema"), 0);
          assert.is(read("journal_mode"), "wal");
          assert.is(read("busy_timeout"), 5000);
        },
        options,
      );
    }
  }),
);

test(
  "what was written is there after reopening, also with create",
  withHistory((path) => {
    assert.is(
      reopened(path, (history) => listEntries(history).length, { create: true }),
      1,
    );
  }),
);

test("nothing is created unless it is asked for", () =>
  inTemporaryFolder((folder) => {
    const path = join(folder, "history.db");
    const error = throws(() => openHistory(path), "FILE_NOT_FOUND");
    assert.match(error.hint ?? "", "sluice dataset import");
    throws(() => openHistory(join(folder, "no", "history.db"), { create: true }), "FILE_NOT_FOUND");
    writeFileSync(path, "");
    throws(() => openHistory(path), "DB_NOT_OURS");
    assert.is(readFileSync(path).length, 0);
  }));

test("a foreign file and a foreign database are refused and unchanged", () =>
  inTemporaryFolder((folder) => {
    const text = join(folder, "text");
    writeFileSync(text, "this is not a database, it is a long enough text for a header of a file\n".repeat(20));
    throws(() => openHistory(text), "DB_NOT_OURS");
    const other = join(folder, "other.db");
    tamper(other, "CREATE TABLE mine(x)");
    const before = readFileSync(other);
    throws(() => openHistory(other), "DB_NOT_OURS");
    throws(() => openHistory(other, { create: true }), "DB_NOT_OURS");
    assert.ok(readFileSync(other).equals(before));
  }));

test(
  "a history of a newer version is refused",
  withHistory((path) => {
    tamper(path, "PRAGMA user_version = 2");
    throws(() => openHistory(path), "DB_TOO_NEW");
  }),
);

const schemaChanges: readonly (readonly [string, string, string])[] = [
  ["a dropped trigger", "DROP TRIGGER entry_no_update", "trigger entry_no_update is missing"],
  [
    "a trigger that does nothing",
    "DROP TRIGGER blob_new; CREATE TRIGGER blob_new BEFORE INSERT ON blob BEGIN SELECT 1; END",
    "trigger blob_new was changed",
  ],
  ["a renamed table", "ALTER TABLE attachment RENAME TO attachments", "table attachment is missing"],
  ["an added column", "ALTER TABLE entry ADD COLUMN more TEXT", "table entry was changed"],
  ["an added table", "CREATE TABLE more(x)", "table more was added"],
  ["a view of the counts of ANALYZE", "ANALYZE; CREATE VIEW v AS SELECT * FROM sqlite_stat1", "view v was added"],
  ["an added view", "CREATE VIEW more AS SELECT 1", "view more was added"],
  [
    "a rewritten definition",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'entry'",
    "table entry was changed",
  ],
  ["a version that is set back", "PRAGMA user_version = 0", "version 0"],
];
for (const [name, sql, said] of schemaChanges) {
  test(
    `${name} is found on the next open`,
    withHistory((path) => {
      tamper(path, sql);
      const error = throws(() => openHistory(path), "HISTORY_TAMPERED");
      assert.match(error.message, said);
      throws(() => openHistory(path, { readOnly: true }), "HISTORY_TAMPERED");
    }),
  );
}

for (const sql of ["ANALYZE", "VACUUM", "REINDEX", "PRAGMA optimize = 0xfffe", "PRAGMA journal_mode = DELETE"]) {
  test(
    `${sql} by another program changes no entry: the history opens, verifies and can be written`,
    withHistory((path) => {
      tamper(path, sql);
      for (const options of [{ readOnly: true }, {}]) {
        assert.is(
          reopened(path, (history) => verifyHistory(history).entries, options),
          1,
        );
      }
      reopened(path, (history) => appendRecord(history, note("second")));
      assert.is(
        reopened(path, (history) => verifyHistory(history).entries),
        2,
      );
    }),
  );
}

test(
  "a page that is not in use is named and harmless, a page that is damaged is not",
  withHistory((path) => {
    tamper(path, "PRAGMA journal_mode = DELETE");
    const bytes = readFileSync(path);
    const pageSize = bytes.readUInt16BE(16);
    const [longer, damaged] = [Buffer.concat([bytes, Buffer.alloc(pageSize)]), Buffer.from(bytes)];
    longer.writeUInt32BE(bytes.length / pageSize + 1, 28);
    writeFileSync(path, longer);
    const { entries, unused_pages: unusedPages } = reopened(path, verifyHistory);
    assert.is(entries, 1);
    assert.equal(unusedPages.length, 1);
    damaged.fill(0xff, pageSize + 8, 2 * pageSize);
    writeFileSync(path, damaged);
    throws(() => reopened(path, verifyHistory), "HISTORY_TAMPERED");
  }),
);

test(
  "a read-only history is not written",
  withHistory((path) => {
    reopened(path, (history) => throws(() => appendRecord(history, note("second")), "WRITE_FAILED"), {
      readOnly: true,
    });
  }),
);

test(
  "a copy made by VACUUM INTO opens read-only with all entries",
  withHistory((path) => {
    const copy = `${path}.copy`;
    reopened(path, ({ database }) => database.prepare("VACUUM INTO ?").run(copy));
    assert.is(
      reopened(copy, (history) => listEntries(history).length, { readOnly: true }),
      1,
    );
  }),
);
