import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { SluiceError } from "../errors/error.js";

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
    throw writeFailure(cause, path);
  }
}

/**
 * Puts a file in the place of another one, which readers see either whole or not at all.
 * @throws {SluiceError} WRITE_FAILED
 */
export async function replaceFile(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const staged = `${path}.${randomBytes(6).toString("hex")}`;
  await writeNewFile(staged, bytes, mode);
  try {
    await rename(staged, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    await unlink(staged).catch(() => undefined);
    throw writeFailure(cause, path);
  }
}
