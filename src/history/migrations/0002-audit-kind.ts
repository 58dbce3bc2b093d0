/** The kinds that version 2 knows; a schema text never changes, so they are written out. */
const kindsOfVersion2 = [
  "catalog",
  "dataset",
  "split",
  "audit",
  "model",
  "run",
  "evaluation",
  "calibration",
  "policy",
  "manifest",
  "approval",
  "export",
  "report",
];
const kinds = kindsOfVersion2.map((kind) => `'${kind}'`).join(", ");

/**
 * Version 2: audits are a kind of record, and the kinds are listed in a trigger, so that a later one replaces a trigger
 * and no table. Entries keep their numbers and bytes. The other triggers are those of version 1, made again after the
 * move. Runs with foreign keys off: the table that attachments refer to is replaced by one of the same name.
 */
export const auditKind = `
DROP TRIGGER entry_no_update;
DROP TRIGGER entry_no_delete;
DROP TRIGGER entry_new;
DROP TRIGGER entry_dense;
DROP TRIGGER attachment_new;

CREATE TABLE moved(
  seq INTEGER PRIMARY KEY,
  leaf BLOB NOT NULL UNIQUE CHECK(length(leaf) = 32),
  at TEXT NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  record BLOB NOT NULL REFERENCES blob(sha256),
  body BLOB NOT NULL,
  UNIQUE(kind, record)
) STRICT;
INSERT INTO moved SELECT seq, leaf, at, kind, actor, record, body FROM entry;
DROP TABLE entry;
ALTER TABLE moved RENAME TO entry;

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
CREATE TRIGGER entry_kind BEFORE INSERT ON entry
  WHEN NEW.kind NOT IN (${kinds})
  BEGIN SELECT RAISE(ABORT, 'entry is of an unknown kind'); END;
CREATE TRIGGER entry_dense BEFORE INSERT ON entry
  WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entry)
  BEGIN SELECT RAISE(ABORT, 'entries are numbered without gaps'); END;
CREATE TRIGGER attachment_new BEFORE INSERT ON attachment
  WHEN NEW.seq IS NOT (SELECT max(seq) FROM entry)
    OR EXISTS(SELECT 1 FROM attachment WHERE seq = NEW.seq AND sha256 = NEW.sha256)
  BEGIN SELECT RAISE(ABORT, 'attachments are written with their entry'); END;
`;
