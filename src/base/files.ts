import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open, readFile, unlink } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { SluiceError } from "./error.js";
import { randomBytes } from "node:crypto";

/** Bytes of a file that the caller named. @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED */
export async function readInput(path: string): Promise<Buffer> {
  return withReadErrors(path, () => readFile(path));
}

/**
 * Bytes of a regular file that the caller named, or of what it links to; never of a pipe or a device, which may not end.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, FILE_TYPE_REFUSED
 */
export async function readRegularInput(path: string): Promise<Buffer> {
  return withReadErrors(path, async () => {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (found.isFile() || found.isDirectory()) return await handle.readFile();
      throw new SluiceError("FILE_TYPE_REFUSED", `${path}: not a regular file`, {
        hint: "Write its content to a file, or use - to read standard input.",
      });
    } finally {
      await handle.close();
    }
  });
}

async function withReadErrors(path: string, read: () => Promise<Buffer>): Promise<Buffer> {
  return read().catch((cause: NodeJS.ErrnoException) => {
    if (cause instanceof SluiceError) throw cause;
    if (cause.code === "ENOENT" || cause.code === "ENOTDIR") {
      const place = isAbsolute(path) ? "" : ` (looked for ${resolve(path)})`;
      throw new SluiceError("FILE_NOT_FOUND", `${path}: no such file${place}`, { hint: "Check the path.", cause });
    }
    throw new SluiceError("READ_FAILED", `${path}: cannot be read (${cause.code ?? "no code"})`, {
      hint: cause.code === "EISDIR" ? "Use a file, not a folder." : "Check the permissions of the file.",
      cause,
    });
  });
}

function writeFailure(cause: unknown, path: string): SluiceError {
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
  if (code === "EEXIST") {
    return new SluiceError("FILE_EXISTS", `${path}: exists already and is not overwritten`, {
      hint: "Choose another name.",
      cause,
    });
  }
  return new SluiceError("WRITE_FAILED", `${path}: cannot be written (${code})`, { cause });
}

/** Flushes the names of a folder, so that a file that was created in it survives a power loss. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a file, writes it and flushes it to the disk. After a failure no file is left.
 * @param mode  permission bits, applied whatever the umask is
 * @throws {SluiceError} FILE_EXISTS, WRITE_FAILED
 */
export async function writeNewFile(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  await createFile(path, bytes, mode, path);
}

/** Creates a file; errors name another one, which it is to become. */
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

/** A file that is written and flushed under another name in the same folder. */
export interface StagedFile {
  /** Puts it in place, without waiting and without needing space. @throws {SluiceError} WRITE_FAILED */
  readonly place: () => void;
  /** Deletes it, unless it is in place. */
  readonly discard: () => void;
}

/**
 * Writes a file next to the one that it will replace.
 * @throws {SluiceError} WRITE_FAILED
 */
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
 * Puts a file in the place of another one, which readers see either whole or not at all.
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
