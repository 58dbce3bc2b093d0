import { accessSync, constants, statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { ErrorCode } from "../../src/base/error-codes.js";
import { command, say, SluiceError, type Text } from "../../src/base/error.js";
import { sqlite } from "./sqlite.js";

interface Translation {
  readonly sqlite: string;
  readonly code: ErrorCode;
  readonly text: string;
  readonly hint: Text;
}

const freeSpace = "Free some space and run the command again.";
const openBackup = say`Open a backup there instead: ${command`sluice history backup FILE`} writes one that can be read there.`;

const diskFull: Omit<Translation, "sqlite"> = {
  code: "WRITE_FAILED",
  text: "the disk is full, nothing was written",
  hint: freeSpace,
};

const translations: readonly Translation[] = [
  {
    sqlite: "SQLITE_BUSY",
    code: "DB_BUSY",
    text: "another process has locked the history for too long",
    hint: "Wait until the other command ends, then run this one again.",
  },
  { sqlite: "SQLITE_FULL", ...diskFull },
  {
    sqlite: "SQLITE_IOERR_WRITE",
    code: "WRITE_FAILED",
    text: "the disk is full or a file size limit was reached, nothing was written",
    hint: freeSpace,
  },
  { sqlite: "SQLITE_IOERR_SHMSIZE", ...diskFull },
  {
    sqlite: "SQLITE_IOERR",
    code: "READ_FAILED",
    text: "the disk reported an error",
    hint: say`Check the disk, or restore the history from a backup: ${command`sluice history restore FILE`}.`,
  },
  {
    sqlite: "SQLITE_NOTADB",
    code: "DB_NOT_OURS",
    text: "is not a Sluice history",
    hint: "Check the path of the history.",
  },
  {
    sqlite: "SQLITE_CORRUPT",
    code: "HISTORY_TAMPERED",
    text: "the database file is damaged",
    hint: "Restore the history from a backup.",
  },
  ...["SQLITE_READONLY_CANTINIT", "SQLITE_READONLY_DIRECTORY"].map(
    (sqlite): Translation => ({
      sqlite,
      code: "READ_FAILED",
      text: "a live history cannot be opened in a folder where nothing can be written",
      hint: openBackup,
    }),
  ),
  {
    sqlite: "SQLITE_READONLY",
    code: "WRITE_FAILED",
    text: "the history cannot be written",
    hint: "Check the permissions of the file and its folder.",
  },
  {
    sqlite: "SQLITE_CANTOPEN",
    code: "READ_FAILED",
    text: "the history cannot be opened",
    hint: "Check the permissions of the file and its folder.",
  },
];

const is = (code: string, sqlite: string): boolean => code === sqlite || code.startsWith(`${sqlite}_`);

/**
 * Translates causes that the file system reports more precisely than SQLite, which uses the same code for missing
 * rights and a full disk.
 */
function fromDisk(code: string, path: string): Omit<Translation, "sqlite"> | undefined {
  const writing = is(code, "SQLITE_READONLY");
  if (!writing && !is(code, "SQLITE_CANTOPEN") && !is(code, "SQLITE_IOERR")) return undefined;
  if (isReadOnly(dirname(path))) {
    return code === "SQLITE_READONLY"
      ? {
          code: "WRITE_FAILED",
          text: "is on a read-only disk, nothing was written",
          hint: say`Use a workspace on another disk; a backup can be read here: ${command`sluice history backup FILE`} makes one.`,
        }
      : { code: "READ_FAILED", text: "a live history cannot be opened on a read-only disk", hint: openBackup };
  }
  return !writing && isFull(dirname(path)) ? diskFull : undefined;
}

function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EROFS";
  }
}

function isFull(folder: string): boolean {
  try {
    return statfsSync(folder).bavail === 0;
  } catch {
    return false;
  }
}

/**
 * Runs a database operation and translates the errors of SQLite. A failed transaction has been rolled back.
 * @param path  path of the database, for messages
 * @throws {SluiceError} DB_BUSY, WRITE_FAILED, DB_NOT_OURS, HISTORY_TAMPERED, READ_FAILED, PACKAGE_MISSING
 */
export function withDatabaseErrors<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof sqlite().SqliteError)) throw cause;
    const found = fromDisk(cause.code, path) ?? translations.find((translation) => is(cause.code, translation.sqlite));
    if (found === undefined) throw cause;
    throw new SluiceError(found.code, `${path}: ${found.text}`, { hint: found.hint, cause });
  }
}
