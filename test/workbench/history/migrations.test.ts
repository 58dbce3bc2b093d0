import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { leafHash, rootOf } from "../../../workbench/history/merkle.js";
import { type History, openHistory } from "../../../workbench/history/open.js";
import { getBlob, listEntries } from "../../../workbench/history/read.js";
import { verifyHistory } from "../../../workbench/history/verify.js";
import { inTemporaryFolder } from "../../support/builders-artifacts.js";
import { reopened } from "../../support/history.js";
import { migrateTo2, writeVersion1 } from "../../support/history-v1.js";
import { appendInProcess } from "../../support/history-writer.js";
import { rangeOfBodies } from "../../support/rfc6962.js";
import { throws } from "../../support/rejects.js";
import { sha256Hex } from "../../../src/digest/sha256.js";

const test = suite("workbench/history/migrations");

const texts = Array.from({ length: 21 }, (_, i) => `record ${i + 1}`);

function rawVersion(path: string): unknown {
  const database = new Database(path, { readonly: true });
  const version = database.pragma("user_version", { simple: true });
  database.close();
  return version;
}

const withVersion1 = (run: (path: string) => Promise<void> | void) => () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "history.db");
    writeVersion1(path, texts);
    await run(path);
  });

for (const options of [{}, { create: true }, { readOnly: true }]) {
  test(
    `a history of version 1 is migrated on opening with ${JSON.stringify(options)}; its entries keep their bytes`,
    withVersion1((path) => {
      const database = new Database(path);
      const bodies = database.prepare<[], Buffer>("SELECT body FROM entry ORDER BY seq").pluck().all();
      database.close();
      const [entries, verified] = reopened(path, (h) => [listEntries(h), verifyHistory(h)] as const, options);
      assert.is(rawVersion(path), 3);
      assert.equal(
        entries.map(({ seq, attachments }) => [seq, attachments.length]),
        texts.map((_, i) => [i + 1, 1]),
      );
      const root = rootOf(rangeOfBodies(bodies)).toString("hex");
      assert.equal(verified, { entries: 21, root, unusedBlobs: 0, unusedPages: [] });
      assert.is(
        reopened(path, ({ database: db }) =>
          db.prepare("SELECT leaf FROM entry WHERE seq = 5").pluck().get(),
        )?.toString(),
        leafHash(bodies[4] ?? Buffer.alloc(0)).toString(),
      );
    }),
  );
}

test(
  "a history of version 2 loses the media types that no hash covered, and nothing else",
  withVersion1((path) => {
    migrateTo2(path);
    const read = (h: History) => [
      listEntries(h),
      verifyHistory(h).root,
      getBlob(h, listEntries(h)[4]?.sha256 ?? sha256Hex("")),
    ];
    const before = reopened(path, read, { readOnly: true });
    assert.is(rawVersion(path), 2, "reading does not migrate");
    assert.equal(reopened(path, read), before);
    assert.is(rawVersion(path), 3);
    const database = new Database(path);
    assert.equal(
      database
        .prepare<[], { name: string }>("PRAGMA table_info(blob)")
        .all()
        .map(({ name }) => name),
      ["sha256", "size", "bytes"],
    );
    database.close();
  }),
);

test(
  "four processes that open one history of version 1 migrate it once and lose nothing",
  withVersion1(async (path) => {
    const outputs = await Promise.all(["a", "b", "c", "d"].map((name) => appendInProcess({ path, name, count: 25 })));
    assert.equal(
      outputs.map(({ acknowledged }) => acknowledged.length),
      [25, 25, 25, 25],
    );
    assert.is(reopened(path, verifyHistory).entries, 121);
  }),
);

test("a migration that the disk has no room for leaves version 1 as it was", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "history.db");
    const many = Array.from({ length: 1000 }, (_, i) => `record ${i + 1}`);
    writeVersion1(path, many);
    const { error } = await appendInProcess({ path, name: "a", count: 1, fileBlocks: 100 });
    assert.is(error, "DB_FULL");
    assert.is(rawVersion(path), 1);
    assert.is(reopened(path, verifyHistory).entries, 1000);
  }));

test(
  "a history of version 1 that lacks an entry is refused and left as it is",
  withVersion1((path) => {
    const database = new Database(path);
    const trigger = database.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE name = 'entry_no_delete'");
    const sql = trigger.pluck().get() ?? "";
    database.pragma("foreign_keys = OFF");
    database.exec("DROP TRIGGER entry_no_delete; DELETE FROM entry WHERE seq = 7");
    database.exec(sql);
    database.close();
    const error = throws(() => openHistory(path), "ENTRY_TAMPERED");
    assert.match(error.message, "entry 7 is missing");
    assert.is(rawVersion(path), 1);
  }),
);

test.run();
