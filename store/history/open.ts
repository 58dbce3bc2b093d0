import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { SluiceError } from "../../src/base/error.js";
import { withDatabaseErrors } from "./database-error.js";
import { applicationId, createTables, schemaDifferences, schemaVersion } from "./schema.js";
import { sqlite } from "./sqlite.js";

const defaultBusyTimeoutMs = 5000;
const shownDifferences = 3;

/** An open history. Only code in this folder uses its database. */
export interface History {
  readonly path: string;
  readonly database: Database.Database;
  close(): void;
}

export interface OpenHistoryOptions {
  /** Creates the file, or initialises an empty one. Default false. */
  readonly create?: boolean;
  readonly readOnly?: boolean;
  /** Maximum time to wait for another process, in milliseconds. */
  readonly busyTimeoutMs?: number;
}

/**
 * Settings that are verified after opening. `synchronous` 2 is FULL, under which a committed entry survives a power
 * loss.
 */
const pragmas = { synchronous: 2, foreign_keys: 1, recursive_triggers: 1, trusted_schema: 0 } as const;

function readPragma(database: Database.Database, name: string): unknown {
  return database.pragma(name, { simple: true });
}

function assertPragma(database: Database.Database, name: string, expected: string | number): void {
  const found = readPragma(database, name);
  if (found === expected) return;
  throw new SluiceError("INTERNAL", `the history needs PRAGMA ${name} = ${expected}, found ${String(found)}`);
}

function configure(database: Database.Database, readOnly: boolean): void {
  if (!readOnly) {
    database.pragma("journal_mode = WAL");
    assertPragma(database, "journal_mode", "wal");
  }
  for (const [name, value] of Object.entries(pragmas)) {
    database.pragma(`${name} = ${value}`);
    assertPragma(database, name, value);
  }
}

function isEmpty(database: Database.Database): boolean {
  const marks = [readPragma(database, "application_id"), readPragma(database, "user_version")];
  const objects = database.prepare("SELECT count(*) FROM sqlite_schema").pluck().get();
  return [...marks, objects].every((value) => value === 0);
}

/** Creates all tables or none; if several processes try, only one succeeds in creating them. */
function createIfEmpty(database: Database.Database): void {
  const run = database.transaction(() => {
    if (isEmpty(database)) createTables(database);
  });
  run.immediate();
}

/**
 * @throws {SluiceError} DB_NOT_OURS, DB_TOO_NEW, SCHEMA_TAMPERED  the mark, version or schema is not that of a history
 */
function checkHistory(database: Database.Database, path: string): void {
  if (readPragma(database, "application_id") !== applicationId) {
    throw new SluiceError("DB_NOT_OURS", `${path}: is not a Sluice history`, {
      hint: "Check the path of the history.",
    });
  }
  const version = Number(readPragma(database, "user_version"));
  if (version > schemaVersion) {
    const text = `${path}: has version ${version}, this Sluice supports version ${schemaVersion}`;
    throw new SluiceError("DB_TOO_NEW", text, { hint: "Use the Sluice version that wrote it, or a newer one." });
  }
  const differences = schemaDifferences(database);
  if (version === schemaVersion && differences.length === 0) return;
  const shown = [...(version === schemaVersion ? [] : [`version ${version}`]), ...differences].slice(
    0,
    shownDifferences,
  );
  throw new SluiceError("SCHEMA_TAMPERED", `${path}: tables or triggers differ from a history's: ${shown.join("; ")}`, {
    hint: "Restore the history from a backup.",
  });
}

function openDatabase(path: string, options: OpenHistoryOptions): Database.Database {
  const { create = false, readOnly = false, busyTimeoutMs = defaultBusyTimeoutMs } = options;
  const database = new (sqlite())(path, { fileMustExist: !create, readonly: readOnly, timeout: busyTimeoutMs });
  try {
    if (create && isEmpty(database)) createIfEmpty(database);
    // Reads one consistent state of the file, even while another process creates its tables.
    database.transaction(() => checkHistory(database, path)).deferred();
    configure(database, readOnly);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens a history after checking its mark, version and schema. Never writes to a file that is not a history.
 * @throws {SluiceError} FILE_NOT_FOUND, DB_NOT_OURS, DB_TOO_NEW, SCHEMA_TAMPERED, DB_BUSY, DB_FULL, READ_FAILED
 */
export function openHistory(path: string, options: OpenHistoryOptions = {}): History {
  if (options.create !== true && !existsSync(path)) {
    throw new SluiceError("FILE_NOT_FOUND", `${path}: no history found here`, {
      hint: "Create one with: sluice quickstart, or sluice dataset import FILE --format FORMAT",
    });
  }
  if (!existsSync(dirname(path))) throw new SluiceError("FILE_NOT_FOUND", `${dirname(path)}: no such folder`);
  const database = withDatabaseErrors(path, () => openDatabase(path, options));
  return { path, database, close: () => void database.close() };
}
