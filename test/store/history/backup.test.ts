import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { backupHistory } from "../../../store/history/backup.js";
import { type History, openHistory } from "../../../store/history/open.js";
import { verifyHistory } from "../../../store/history/verify.js";
import { appendRecord } from "../../../store/history/write.js";
import { assert, rejects, test, throws } from "../../support/test.js";
import { recordOf, reopened, withHistory } from "../../support/history.js";
import { appendInProcess } from "../../support/history-writer.js";

const withRecords = (run: (history: History, folder: string) => Promise<void> | void) =>
  withHistory(async (history, _path, folder) => {
    for (let i = 0; i < 50; i += 1) appendRecord(history, recordOf(`record ${i}`));
    await run(history, folder);
  });

test(
  "a backup is one verified file that goes on as a history of its own",
  withRecords(async (history, folder) => {
    const copy = join(folder, "copy.db");
    assert.equal(await backupHistory(history, copy), verifyHistory(history));
    assert.equal(
      readdirSync(folder)
        .filter((name) => name.startsWith("copy"))
        .sort(),
      ["copy.db"],
    );
    assert.is(
      reopened(copy, (h) => appendRecord(h, recordOf("later")).seq),
      51,
    );
  }),
);

test(
  "a backup while another process writes holds a beginning of the history",
  withRecords(async (history, folder) => {
    const writer = appendInProcess({ path: history.path, name: "a", count: 300 });
    const copies: number[] = [];
    for (let i = 0; i < 5; i += 1) copies.push((await backupHistory(history, join(folder, `copy-${i}`))).entries);
    assert.is((await writer).acknowledged.length, 300);
    assert.ok(copies.every((entries) => entries >= 50 && entries <= 350));
    assert.is(verifyHistory(history).entries, 350);
  }),
);

test(
  "an existing file is never overwritten, and a missing folder is named",
  withRecords(async (history, folder) => {
    const taken = join(folder, "taken");
    writeFileSync(taken, "mine");
    await rejects(backupHistory(history, taken), "FILE_EXISTS");
    await rejects(backupHistory(history, history.path), "FILE_EXISTS");
    await rejects(backupHistory(history, join(folder, "no", "copy.db")), "FILE_NOT_FOUND");
    assert.is(verifyHistory(history).entries, 50);
  }),
);

test(
  "a damaged history is not backed up, and nothing is left",
  withRecords(async (history, folder) => {
    history.database.pragma("wal_checkpoint(TRUNCATE)");
    history.database.exec("DROP TRIGGER blob_no_update; UPDATE blob SET bytes = zeroblob(size)");
    await rejects(backupHistory(history, join(folder, "copy.db")), "HISTORY_TAMPERED");
    assert.equal(
      readdirSync(folder).filter((name) => name.startsWith("copy")),
      [],
    );
  }),
);

/** Runs without the rights of the superuser, who may write everywhere. */
function asNobody<T>(run: () => T): T {
  if (process.geteuid?.() !== 0) return run();
  process.seteuid?.(65_534);
  try {
    return run();
  } finally {
    process.seteuid?.(0);
  }
}

test(
  "in a folder that cannot be written the live history says so, and a backup opens",
  withRecords(async (history, folder) => {
    const place = join(folder, "read-only");
    mkdirSync(place);
    await backupHistory(history, join(place, "copy.db"));
    history.database.pragma("wal_checkpoint(TRUNCATE)");
    copyFileSync(history.path, join(place, "live.db"));
    for (const name of ["copy.db", "live.db"]) chmodSync(join(place, name), 0o444);
    chmodSync(place, 0o555);
    chmodSync(folder, 0o755);
    asNobody(() => {
      const options = { readOnly: true };
      assert.is(
        reopened(join(place, "copy.db"), (h) => verifyHistory(h).entries, options),
        50,
      );
      const error = throws(() => openHistory(join(place, "live.db"), options), "READ_FAILED");
      assert.match(error.hint ?? "", "sluice history backup");
      reopened(join(place, "copy.db"), (h) => throws(() => appendRecord(h, recordOf("x")), "WRITE_FAILED"), options);
      throws(() => openHistory(join(place, "copy.db")), "WRITE_FAILED");
    });
    assert.not(existsSync(join(place, "copy.db-wal")));
    chmodSync(place, 0o755);
  }),
);
