import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { command, say, SluiceError } from "../../src/base/error.js";
import { withDatabaseErrors } from "./database-error.js";
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
 * @throws {SluiceError} DB_NOT_OURS, DB_TOO_NEW, HISTORY_TAMPERED  the mark, version or schema is not that of a history
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
  throw new SluiceError(
    "HISTORY_TAMPERED",
    `${path}: tables or triggers differ from a history's: ${shown.join("; ")}`,
    {
      hint: "Restore the history from a backup.",
    },
  );
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
 * @throws {SluiceError} FILE_NOT_FOUND, DB_NOT_OURS, DB_TOO_NEW, HISTORY_TAMPERED, DB_BUSY, WRITE_FAILED, READ_FAILED
 */
export function openHistory(path: string, options: OpenHistoryOptions = {}): History {
  if (options.create !== true && !existsSync(path)) {
    throw new SluiceError("FILE_NOT_FOUND", `${path}: no history found here`, {
      hint: say`In a project: ${command`sluice run`}. In another folder, name it with -C or -w. Otherwise: ${command`sluice quickstart`}, or ${command`sluice dataset import FILE --format FORMAT`}`,
    });
  }
  if (!existsSync(dirname(path))) throw new SluiceError("FILE_NOT_FOUND", `${dirname(path)}: no such folder`);
  const database = withDatabaseErrors(path, () => openDatabase(path, options));
  return { path, database, close: () => void database.close() };
}

/** "SLUC": marks a database file as a Sluice history. */
const applicationId = 0x534c5543;

/** Version of the tables below, stored as the `user_version` of a history. */
const schemaVersion = 1;

const neverChange = (table: string): string => `
CREATE TRIGGER ${table}_no_update BEFORE UPDATE ON ${table}
  BEGIN SELECT RAISE(ABORT, '${table} rows never change'); END;`;

/**
 * `entry` is append-only and has no gaps. `body` is the canonical JSON that the Merkle leaf covers. `nodes` are the
 * Merkle nodes that the entry completed, smallest first, so that roots and proofs need few reads. A blob that no entry
 * refers to may be deleted. The triggers prevent mistakes; the hashes detect tampering.
 */
const tables = `
CREATE TABLE blob(
  sha256 BLOB PRIMARY KEY CHECK(length(sha256) = 32),
  size INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE entry(
  seq INTEGER PRIMARY KEY,
  leaf BLOB NOT NULL UNIQUE CHECK(length(leaf) = 32),
  nodes BLOB NOT NULL CHECK(length(nodes) % 32 = 0),
  at TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(length(kind) BETWEEN 1 AND 40),
  actor TEXT NOT NULL,
  record BLOB NOT NULL REFERENCES blob(sha256),
  body BLOB NOT NULL,
  UNIQUE(kind, record)
) STRICT;

CREATE TABLE attachment(
  seq INTEGER NOT NULL REFERENCES entry(seq),
  sha256 BLOB NOT NULL REFERENCES blob(sha256),
  PRIMARY KEY(seq, sha256)
) STRICT, WITHOUT ROWID;
${["blob", "entry", "attachment"].map(neverChange).join("")}
CREATE TRIGGER entry_no_delete BEFORE DELETE ON entry
  BEGIN SELECT RAISE(ABORT, 'entry rows are never deleted'); END;
CREATE TRIGGER attachment_no_delete BEFORE DELETE ON attachment
  BEGIN SELECT RAISE(ABORT, 'attachment rows are never deleted'); END;
CREATE TRIGGER blob_in_use BEFORE DELETE ON blob
  WHEN EXISTS(SELECT 1 FROM entry WHERE record = OLD.sha256)
    OR EXISTS(SELECT 1 FROM attachment WHERE sha256 = OLD.sha256)
  BEGIN SELECT RAISE(ABORT, 'blob rows in use are never deleted'); END;
CREATE TRIGGER blob_new BEFORE INSERT ON blob
  WHEN EXISTS(SELECT 1 FROM blob WHERE sha256 = NEW.sha256) OR NEW.size IS NOT length(NEW.bytes)
  BEGIN SELECT RAISE(ABORT, 'blob already exists, or its size is wrong'); END;
CREATE TRIGGER entry_new BEFORE INSERT ON entry
  WHEN EXISTS(
    SELECT 1 FROM entry
    WHERE seq = NEW.seq OR leaf = NEW.leaf OR (kind = NEW.kind AND record = NEW.record)
  )
  BEGIN SELECT RAISE(ABORT, 'entry already exists'); END;
CREATE TRIGGER entry_dense BEFORE INSERT ON entry
  WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entry)
  BEGIN SELECT RAISE(ABORT, 'entries are numbered without gaps'); END;
CREATE TRIGGER attachment_new BEFORE INSERT ON attachment
  WHEN NEW.seq IS NOT (SELECT max(seq) FROM entry)
    OR EXISTS(SELECT 1 FROM attachment WHERE seq = NEW.seq AND sha256 = NEW.sha256)
  BEGIN SELECT RAISE(ABORT, 'attachments are written with their entry'); END;
`;

function createTables(database: Database.Database): void {
  database.exec(tables);
  database.pragma(`application_id = ${applicationId}`);
  database.pragma(`user_version = ${schemaVersion}`);
}

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/**
 * Definitions of all tables, indexes, views and triggers, in a fixed order. The tables that ANALYZE fills with row
 * counts are excluded: they only help to plan queries, and no entry depends on them.
 */
function schemaObjects(database: Database.Database): readonly SchemaObject[] {
  const sql = `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL
    AND (type || ' ' || sql) NOT IN ('table CREATE TABLE sqlite_stat1(tbl,idx,stat)',
      'table CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')
    ORDER BY type, name`;
  return database.prepare<[], SchemaObject>(sql).all();
}

/**
 * Differences from these tables, such as "table more was added" or "trigger entry_no_update is missing"; empty if there
 * are none.
 */
function schemaDifferences(database: Database.Database): readonly string[] {
  const byName = (objects: readonly SchemaObject[]) => new Map(objects.map((o) => [`${o.type} ${o.name}`, o.sql]));
  const [found, expected] = [byName(schemaObjects(database)), byName(freshObjects())];
  return [
    ...[...expected].flatMap(([name, sql]) => {
      if (!found.has(name)) return [`${name} is missing`];
      return found.get(name) === sql ? [] : [`${name} was changed`];
    }),
    ...[...found.keys()].filter((name) => !expected.has(name)).map((name) => `${name} was added`),
  ];
}

function freshObjects(): readonly SchemaObject[] {
  const fresh = new (sqlite())(":memory:");
  try {
    createTables(fresh);
    return schemaObjects(fresh);
  } finally {
    fresh.close();
  }
}
