import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { SluiceError } from "../../src/base/error.js";
import { writeFailure as failedToWrite } from "../../src/base/files.js";
import { withDatabaseErrors } from "./database-error.js";
import { type History, openHistory } from "./open.js";
import { sqlite } from "./sqlite.js";
import { treeHead } from "./tree.js";
import { type VerifiedHistory, verifyHistory } from "./verify.js";

/** Copies all pages in one step, so that other writers cannot restart the copy. */
const allPages = 0x7fffffff;

function exists(path: string): SluiceError {
  return new SluiceError("FILE_EXISTS", `${path}: already exists and is not overwritten`, {
    hint: "Choose another name.",
  });
}

/** Converts the copy to a single file without WAL files, which can be opened read-only. */
function leaveWal(path: string): void {
  const database = new (sqlite())(path, { fileMustExist: true });
  try {
    database.pragma("journal_mode = DELETE");
  } finally {
    database.close();
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Verifies that the copy is a complete history and a prefix of the original. */
function verifyCopy(history: History, path: string): VerifiedHistory {
  const copy = openHistory(path, { readOnly: true });
  try {
    const verified = verifyHistory(copy);
    if (treeHead(history, verified.entries).root.toString("hex") === verified.root) return verified;
    throw new SluiceError("HISTORY_FORK", `${path}: the entries of the copy differ from ${history.path}`);
  } finally {
    copy.close();
  }
}

function writeFailure(cause: unknown, path: string): unknown {
  if (cause instanceof SluiceError) return cause;
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "EEXIST") return exists(path);
  if (code === undefined || code.startsWith("SQLITE_")) return cause;
  return failedToWrite(cause, path);
}

/**
 * Copies a history into a new file while others may read and write it, and verifies the copy. The file appears only
 * once it is complete and on disk.
 * @throws {SluiceError} FILE_EXISTS, FILE_NOT_FOUND (its folder), WRITE_FAILED, HISTORY_TAMPERED, HISTORY_FORK
 */
export async function backupHistory(history: History, path: string): Promise<VerifiedHistory> {
  if (existsSync(path)) throw exists(path);
  if (!existsSync(dirname(path))) throw new SluiceError("FILE_NOT_FOUND", `${dirname(path)}: no such folder`);
  const partial = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await history.database.backup(partial, { progress: () => allPages });
    const verified = withDatabaseErrors(partial, () => {
      leaveWal(partial);
      return verifyCopy(history, partial);
    });
    sync(partial);
    linkSync(partial, path);
    sync(dirname(path));
    return verified;
  } catch (cause) {
    return withDatabaseErrors(path, () => {
      throw writeFailure(cause, path);
    });
  } finally {
    rmSync(partial, { force: true });
  }
}
