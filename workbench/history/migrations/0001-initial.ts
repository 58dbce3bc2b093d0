import type Database from "better-sqlite3";

/** The kinds of version 1; later versions do not list them. */
const kinds =
  "'catalog', 'dataset', 'split', 'model', 'run', 'evaluation', 'calibration', 'policy', 'manifest', 'approval', 'export', 'report'";

const neverChange = (table: string): string => `
CREATE TRIGGER ${table}_no_update BEFORE UPDATE ON ${table}
  BEGIN SELECT RAISE(ABORT, '${table} rows never change'); END;
CREATE TRIGGER ${table}_no_delete BEFORE DELETE ON ${table}
  BEGIN SELECT RAISE(ABORT, '${table} rows are never deleted'); END;`;

/**
 * Tables of version 1. `entry` is append-only and dense; `body` is the canonical JSON that the Merkle leaf covers.
 * The triggers prevent mistakes; tampering is detected by the hashes.
 */
const tables = `
CREATE TABLE blob(
  sha256 BLOB PRIMARY KEY CHECK(length(sha256) = 32),
  size INTEGER NOT NULL,
  media TEXT NOT NULL,
  bytes BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE entry(
  seq INTEGER PRIMARY KEY,
  leaf BLOB NOT NULL UNIQUE CHECK(length(leaf) = 32),
  at TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN (${kinds})),
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

/** Creates the tables of version 1 in an empty database. */
export function createTables(database: Database.Database): void {
  database.exec(tables);
}
