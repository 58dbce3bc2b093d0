import type Database from "better-sqlite3";

/**
 * Version 3: blobs have no media type. No hash covered it, so anybody could change it; the kind of its record
 * determines a blob's format. Blobs and entries are unchanged.
 */
export function dropMedia(database: Database.Database): void {
  database.exec("ALTER TABLE blob DROP COLUMN media");
}
