import type Database from "better-sqlite3";
import { SluiceError } from "../../../src/errors/error.js";
import { appendLeaf, emptyRange } from "../merkle.js";

const entryTable = `
DROP TRIGGER attachment_new;
DROP TRIGGER blob_no_delete;

CREATE TABLE entry_2(
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
`;

const triggers = `
DROP TABLE entry;
ALTER TABLE entry_2 RENAME TO entry;

CREATE TRIGGER entry_no_update BEFORE UPDATE ON entry
  BEGIN SELECT RAISE(ABORT, 'entry rows never change'); END;
CREATE TRIGGER entry_no_delete BEFORE DELETE ON entry
  BEGIN SELECT RAISE(ABORT, 'entry rows are never deleted'); END;
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
CREATE TRIGGER blob_in_use BEFORE DELETE ON blob
  WHEN EXISTS(SELECT 1 FROM entry WHERE record = OLD.sha256)
    OR EXISTS(SELECT 1 FROM attachment WHERE sha256 = OLD.sha256)
  BEGIN SELECT RAISE(ABORT, 'blob rows in use are never deleted'); END;
`;

/**
 * Version 2: each entry stores the Merkle nodes that it completed, smallest first, so that roots and proofs need a
 * few reads; the table no longer lists the kinds of records; a blob that no entry refers to may be deleted. Foreign
 * keys must be off; entries are unchanged.
 * @throws {SluiceError} ENTRY_TAMPERED  an entry is missing
 */
export function addTreeNodes(database: Database.Database): void {
  database.exec(entryTable);
  const leaves = database.prepare<[number], { leaf: Buffer }>("SELECT leaf FROM entry WHERE seq = ?");
  const copy = database.prepare<[Buffer, number]>(
    "INSERT INTO entry_2 SELECT seq, leaf, ?, at, kind, actor, record, body FROM entry WHERE seq = ?",
  );
  let range = emptyRange;
  for (let row = leaves.get(1); row !== undefined; row = leaves.get(range.size + 1)) {
    const extended = appendLeaf(range, row.leaf);
    range = extended.range;
    copy.run(Buffer.concat(extended.nodes), range.size);
  }
  const entries = database.prepare<[], number>("SELECT count(*) FROM entry").pluck().get();
  if (entries !== range.size) {
    throw new SluiceError("ENTRY_TAMPERED", `entry ${range.size + 1} is missing; the history was not changed`, {
      hint: "Restore the history from a backup, and find out who changed it.",
      details: { seq: range.size + 1 },
    });
  }
  database.exec(triggers);
}
