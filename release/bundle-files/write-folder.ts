import { lstat, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SluiceError } from "../../src/base/error.js";
import { leftBehind, oldOf, restoreMovedAway, stagingOf } from "../../src/trust/left-behind.js";
import { syncFolder, writeFailure as failedToWrite, writeNewFile } from "../../src/base/files.js";
import { makeFolders } from "../../store/make-folders.js";

const fileMode = 0o644;

export interface WriteFolderOptions {
  /** Folder to create; its parent must exist. */
  readonly directory: string;
  /** Bytes by relative path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Replaces an existing folder; undefined where the caller could not ask for that. */
  readonly replace?: boolean;
  /** Checks the staged folder before it is renamed. If it throws, nothing is written or replaced. */
  readonly check?: (staged: string) => Promise<void>;
}

export interface WrittenFolder {
  /** Whether a killed writer had moved the folder away, in which case it was restored first. */
  readonly restored: boolean;
  /** Staging folders of other writers, which were killed or are still running. */
  readonly left_behind: readonly string[];
}

function exists({ directory, replace }: WriteFolderOptions, cause?: unknown): SluiceError {
  return new SluiceError("FILE_EXISTS", `${directory}: already exists`, {
    hint:
      replace === undefined ? "Choose another folder." : "Choose another folder, or replace this one: add --replace.",
    cause,
  });
}

async function refuseExisting(options: WriteFolderOptions): Promise<void> {
  const found = await lstat(options.directory).catch(() => undefined);
  if (found === undefined || (options.replace === true && found.isDirectory())) return;
  throw exists(options);
}

function foldersOf(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === "." ? ["."] : [...foldersOf(parent), parent];
}

/** Writes and flushes every file and folder below an existing folder. */
async function writeStaging(staging: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const folders = new Set([...files.keys()].flatMap(foldersOf));
  for (const folder of folders) await makeFolders(join(staging, folder));
  for (const [path, bytes] of files) await writeNewFile(join(staging, path), bytes, fileMode);
  for (const folder of folders) await syncFolder(join(staging, folder));
}

/** Moves the folder to be replaced out of the way; false if there is none, or another writer has just moved it. */
async function moveAway(directory: string, old: string): Promise<boolean> {
  try {
    await rename(directory, old);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw cause;
  }
}

/**
 * Renames are atomic. Between the two renames of a replacement the folder is briefly missing, but never half-written.
 * If several writers replace it at once, the last one wins.
 */
async function moveIntoPlace(staging: string, directory: string, replace: boolean): Promise<void> {
  const old = oldOf(staging);
  const moved = replace && (await moveAway(directory, old));
  try {
    await rename(staging, directory);
  } catch (cause) {
    if (replace && isTaken(cause)) {
      await rm(old, { recursive: true, force: true });
      return moveIntoPlace(staging, directory, replace);
    }
    if (moved) await rename(old, directory);
    throw cause;
  }
  await syncFolder(dirname(directory));
  await rm(old, { recursive: true, force: true });
}

/** Whether another writer's folder is at the destination of a rename. */
function isTaken(cause: unknown): boolean {
  const { code } = cause as NodeJS.ErrnoException;
  return code === "ENOTEMPTY" || code === "EEXIST";
}

/** Another writer may have finished first; its complete folder is left in place. */
function writeFailure(cause: unknown, options: WriteFolderOptions): SluiceError {
  if (cause instanceof SluiceError) return cause;
  if (isTaken(cause)) return exists(options, cause);
  return failedToWrite(cause, options.directory);
}

/**
 * Writes a folder atomically: staged next to its destination, flushed, checked and renamed. If several writers create
 * it at once, the first one wins and the others fail with FILE_EXISTS. A folder that a killed writer had moved away is
 * restored first.
 * @throws {SluiceError} FILE_EXISTS, WRITE_FAILED, the codes of `check`
 */
export async function writeFolder(options: WriteFolderOptions): Promise<WrittenFolder> {
  const { directory, files, check } = options;
  const restored = await restoreMovedAway(directory);
  await refuseExisting(options);
  const staging = stagingOf(directory);
  try {
    await mkdir(staging);
    await writeStaging(staging, files);
    await check?.(staging);
    await moveIntoPlace(staging, directory, options.replace === true);
    return { restored, left_behind: await leftBehind(directory) };
  } catch (cause) {
    await rm(staging, { recursive: true, force: true });
    throw writeFailure(cause, options);
  }
}
