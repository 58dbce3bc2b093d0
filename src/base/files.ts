import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, lstat, open, readFile, unlink } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { SluiceError } from "./error.js";
import { randomBytes } from "node:crypto";

/** Reads a file that the caller named. @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED */
export async function readInput(path: string): Promise<Buffer> {
  return withReadErrors(path, () => readFile(path));
}

/**
 * Reads a regular file that the caller named, or the target of a link; refuses pipes and devices, which may never end.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, FILE_REFUSED
 */
export async function readRegularInput(path: string): Promise<Buffer> {
  return withReadErrors(path, async () => {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (found.isFile() || found.isDirectory()) return await handle.readFile();
      throw new SluiceError("FILE_REFUSED", `${path}: not a regular file`, {
        hint: "Write its content to a file, or use - to read standard input.",
      });
    } finally {
      await handle.close();
    }
  });
}

/** How a file is read that nobody typed on the command line. */
export interface StoredFileOptions {
  /** Largest accepted size in bytes. Default: 2^30. */
  readonly maxBytes?: number;
  /** Whether a link is followed, as mounted configuration needs. Default false. */
  readonly followLinks?: boolean;
}

const largestStoredBytes = 2 ** 30;

/**
 * Reads a regular file of limited size that this program found by itself. A pipe or a device, which may never end, is
 * refused without waiting for it.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, FILE_REFUSED, TOO_LARGE
 */
export async function readStoredFile(path: string, options: StoredFileOptions = {}): Promise<Buffer> {
  const { maxBytes = largestStoredBytes, followLinks = false } = options;
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  return withReadErrors(path, async () => {
    const handle = await open(path, O_RDONLY | O_NONBLOCK | (followLinks ? 0 : O_NOFOLLOW)).catch(refuseLink(path));
    try {
      const found = await handle.stat();
      if (!found.isFile()) throw new SluiceError("FILE_REFUSED", `${path}: not a regular file`);
      if (found.size > maxBytes) {
        throw new SluiceError("TOO_LARGE", `${path}: ${found.size} bytes, at most ${maxBytes} are accepted`);
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  });
}

function refuseLink(path: string): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    if (cause.code !== "ELOOP") throw cause;
    throw new SluiceError("FILE_REFUSED", `${path}: a symbolic link, expected a regular file`, { cause });
  };
}

/** As `readStoredFile`; null if there is no file. */
export async function readStoredIfThere(path: string, options: StoredFileOptions = {}): Promise<Buffer | null> {
  return readStoredFile(path, options).catch((cause: unknown) => {
    if (cause instanceof SluiceError && cause.code === "FILE_NOT_FOUND") return null;
    throw cause;
  });
}

async function withReadErrors(path: string, read: () => Promise<Buffer>): Promise<Buffer> {
  return read().catch((cause: NodeJS.ErrnoException) => {
    if (cause instanceof SluiceError) throw cause;
    if (cause.code === "ENOENT" || cause.code === "ENOTDIR") {
      const place = isAbsolute(path) ? "" : ` (looked for ${resolve(path)})`;
      throw new SluiceError("FILE_NOT_FOUND", `${path}: no such file${place}`, { cause });
    }
    throw new SluiceError("READ_FAILED", `${path}: cannot be read (${cause.code ?? "no code"})`, {
      hint: cause.code === "EISDIR" ? "Use a file, not a folder." : "Check the permissions of the file.",
      cause,
    });
  });
}

/** Reads a file; null if there is none. @throws {SluiceError} READ_FAILED */
export async function readIfThere(file: string): Promise<Buffer | null> {
  return readInput(file).catch((cause: unknown) => {
    if (cause instanceof SluiceError && cause.code === "FILE_NOT_FOUND") return null;
    throw cause;
  });
}

/** Whether there is anything at a path; a link counts even if its target is missing. */
export async function pathExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

export function writeFailure(cause: unknown, path: string): SluiceError {
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
  if (code === "EEXIST") {
    return new SluiceError("FILE_EXISTS", `${path}: already exists and is not overwritten`, {
      hint: "Choose another name.",
      cause,
    });
  }
  if (code === "ENOENT") {
    return new SluiceError("WRITE_FAILED", `${path}: its folder does not exist`, {
      hint: `Create the folder first: mkdir -p ${dirname(path)}`,
      cause,
    });
  }
  return new SluiceError("WRITE_FAILED", `${path}: cannot be written (${code})`, { cause });
}

/** Flushes a folder, so that the names of new files in it survive a power loss. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a file, writes it and flushes it to disk. Leaves no file after a failure.
 * @param mode  permission bits, applied regardless of the umask
 * @throws {SluiceError} FILE_EXISTS, WRITE_FAILED
 */
export async function writeNewFile(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  await createFile(path, bytes, mode, path);
}

/** Creates a file. Errors name its final path instead. */
async function createFile(path: string, bytes: Uint8Array, mode: number, named: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "wx", mode);
    await handle.writeFile(bytes);
    await handle.chmod(mode);
    await handle.sync();
    await handle.close();
    await syncFolder(dirname(path));
  } catch (cause) {
    await handle?.close().catch(() => undefined);
    if (handle !== undefined) await unlink(path).catch(() => undefined);
    throw writeFailure(cause, named);
  }
}

/** A file that was written and flushed under a temporary name in the same folder. */
export interface StagedFile {
  /** Renames it to its final name; synchronous, and needs no disk space. @throws {SluiceError} WRITE_FAILED */
  readonly place: () => void;
  /** Deletes it, unless it has been renamed. */
  readonly discard: () => void;
}

/** Writes a file next to the one that it will replace. @throws {SluiceError} WRITE_FAILED */
export async function stageFile(path: string, bytes: Uint8Array, mode: number): Promise<StagedFile> {
  const staged = `${path}.${randomBytes(6).toString("hex")}`;
  await createFile(staged, bytes, mode, path);
  return {
    place: () => {
      try {
        renameSync(staged, path);
        const folder = openSync(dirname(path), "r");
        fsyncSync(folder);
        closeSync(folder);
      } catch (cause) {
        throw writeFailure(cause, path);
      }
    },
    discard: () => rmSync(staged, { force: true }),
  };
}

/**
 * Replaces a file atomically: readers see either the old content or the new one.
 * @throws {SluiceError} WRITE_FAILED
 */
export async function replaceFile(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const staged = await stageFile(path, bytes, mode);
  try {
    staged.place();
  } finally {
    staged.discard();
  }
}
