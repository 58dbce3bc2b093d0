import { join } from "node:path";
import Database from "better-sqlite3";
import * as assert from "uvu/assert";
import { type History, openHistory } from "../../store/history/open.js";
import type { NewRecord } from "../../store/history/write.js";
import { inTemporaryFolder } from "./temporary-folder.js";
import { schemaFingerprint } from "./schema-fingerprint.js";

/** Opens a history, uses it and closes it. */
export function reopened<T>(path: string, use: (history: History) => T, options = {}): T {
  const history = openHistory(path, options);
  try {
    return use(history);
  } finally {
    history.close();
  }
}

/** A record of ana with this text. */
export const recordOf = (text: string, changes: Partial<NewRecord> = {}): NewRecord => ({
  kind: "run",
  actor: "ana",
  at: "2026-03-01T12:00:00Z",
  record: Buffer.from(text),
  ...changes,
});

/** A test with a new history in a folder of its own, which is closed at the end. */
export function withHistory(
  run: (history: History, path: string, folder: string) => Promise<void> | void,
): () => Promise<void> {
  return () =>
    inTemporaryFolder(async (folder) => {
      const path = join(folder, "history.db");
      const history = openHistory(path, { create: true });
      try {
        await run(history, path, folder);
      } finally {
        history.close();
      }
    });
}

/** Runs statements as another program could: with all triggers removed, which are put back as they were. */
export function tamperWith(path: string, ...statements: readonly string[]): void {
  const database = new Database(path);
  const before = schemaFingerprint(database);
  const triggers = database
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all();
  database.pragma("foreign_keys = OFF");
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  for (const statement of statements) database.exec(statement);
  for (const { sql } of triggers) database.exec(sql);
  assert.is(schemaFingerprint(database), before);
  database.close();
}
