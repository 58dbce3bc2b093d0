import type { ErrorCode } from "../errors/codes.js";
import { SluiceError } from "../errors/error.js";
import { sqlite } from "./sqlite.js";

interface Translation {
  readonly sqlite: string;
  readonly code: ErrorCode;
  readonly text: string;
  readonly hint: string;
}

const translations: readonly Translation[] = [
  {
    sqlite: "SQLITE_BUSY",
    code: "DB_BUSY",
    text: "another process holds the history for too long",
    hint: "Wait until the other command ends, then run this one again.",
  },
  {
    sqlite: "SQLITE_FULL",
    code: "DB_FULL",
    text: "the disk is full, nothing was written",
    hint: "Free some space and run the command again.",
  },
  {
    sqlite: "SQLITE_IOERR_WRITE",
    code: "DB_FULL",
    text: "the disk is full or a file size limit was reached, nothing was written",
    hint: "Free some space and run the command again.",
  },
  {
    sqlite: "SQLITE_NOTADB",
    code: "DB_NOT_OURS",
    text: "is not a Sluice history",
    hint: "Check the path of the history.",
  },
  {
    sqlite: "SQLITE_CORRUPT",
    code: "ENTRY_TAMPERED",
    text: "the database file is damaged",
    hint: "Restore the history from a backup.",
  },
  ...["SQLITE_READONLY_CANTINIT", "SQLITE_READONLY_DIRECTORY"].map(
    (sqlite): Translation => ({
      sqlite,
      code: "READ_FAILED",
      text: "a live history cannot be opened in a folder where nothing can be written",
      hint: "Open a copy instead: sluice history backup FILE makes one that needs no writing.",
    }),
  ),
  {
    sqlite: "SQLITE_READONLY",
    code: "WRITE_FAILED",
    text: "the history cannot be written",
    hint: "Check the rights of the file and of its folder.",
  },
  {
    sqlite: "SQLITE_CANTOPEN",
    code: "READ_FAILED",
    text: "the history cannot be opened",
    hint: "Check the rights of the file and of its folder.",
  },
];

/**
 * Runs an operation on the database and translates what SQLite reports; every transaction that failed was rolled back.
 * @param path  of the database, for messages
 * @throws {SluiceError} DB_BUSY, DB_FULL, DB_NOT_OURS, ENTRY_TAMPERED, WRITE_FAILED, READ_FAILED, PACKAGE_MISSING
 */
export function withDatabaseErrors<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof sqlite().SqliteError)) throw cause;
    const found = translations.find((t) => cause.code === t.sqlite || cause.code.startsWith(`${t.sqlite}_`));
    if (found === undefined) throw cause;
    throw new SluiceError(found.code, `${path}: ${found.text}`, { hint: found.hint, cause });
  }
}
