import type Database from "better-sqlite3";
import { sqlite } from "./sqlite.js";

/** "SLUC": marks a database file as a Sluice history. */
export const applicationId = 0x534c5543;

/** Version of the tables below, stored as the `user_version` of a history. */
export const schemaVersion = 1;

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
  BEGIN SELECT RAISE(ABORT, 'blob exists already, or its size is wrong'); END;
CREATE TRIGGER entry_new BEFORE INSERT ON entry
  WHEN EXISTS(
    SELECT 1 FROM entry
    WHERE seq = NEW.seq OR leaf = NEW.leaf OR (kind = NEW.kind AND record = NEW.record)
  )
  BEGIN SELECT RAISE(ABORT, 'entry exists already'); END;
CREATE TRIGGER entry_dense BEFORE INSERT ON entry
  WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entry)
  BEGIN SELECT RAISE(ABORT, 'entries are numbered without gaps'); END;
CREATE TRIGGER attachment_new BEFORE INSERT ON attachment
  WHEN NEW.seq IS NOT (SELECT max(seq) FROM entry)
    OR EXISTS(SELECT 1 FROM attachment WHERE seq = NEW.seq AND sha256 = NEW.sha256)
  BEGIN SELECT RAISE(ABORT, 'attachments are written with their entry'); END;
`;

/** Creates the tables in an empty database, and marks it. */
export function createTables(database: Database.Database): void {
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
export function schemaDifferences(database: Database.Database): readonly string[] {
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
