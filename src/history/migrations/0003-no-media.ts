import type Database from "better-sqlite3";

/**
 * Version 3: the media type of a blob is gone. No hash covered it, so anybody could change it; readers know the form of a
 * blob from the kind of its record. Blobs and entries keep their bytes.
 */
export function dropMedia(database: Database.Database): void {
  database.exec("ALTER TABLE blob DROP COLUMN media");
}
