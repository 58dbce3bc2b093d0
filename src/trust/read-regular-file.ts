import type { BigIntStats } from "node:fs";
import { constants } from "node:fs";
import { type FileHandle, open, readlink } from "node:fs/promises";
import { join } from "node:path";
import { SluiceError } from "../base/error.js";

const chunkBytes = 1024 * 1024;

function changed(path: string): SluiceError {
  return new SluiceError("FILE_CHANGED", `${path}: changed while it was being read`, {
    details: { file: path },
    hint: "Stop whatever writes to the folder, and run the command again.",
  });
}

function requireSame(before: BigIntStats, now: BigIntStats, path: string): void {
  const fields = ["dev", "ino", "size", "mtimeNs", "ctimeNs"] as const;
  if (fields.some((field) => before[field] !== now[field])) throw changed(path);
}

/** Linux only: `O_NOFOLLOW` protects the last path component; this also detects a parent folder that is a link. */
async function requireOwnPath(handle: FileHandle, expected: string, path: string): Promise<void> {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (opened === undefined || opened === expected) return;
  throw new SluiceError("FILE_REFUSED", `${path}: a parent folder is a link or was moved`, { details: { file: path } });
}

async function fill(handle: FileHandle, bytes: Buffer, path: string): Promise<void> {
  let offset = 0;
  while (offset < bytes.length) {
    const { bytesRead } = await handle.read(bytes, offset, Math.min(chunkBytes, bytes.length - offset), offset);
    if (bytesRead === 0) throw changed(path);
    offset += bytesRead;
  }
}

function openFailure(cause: unknown, path: string): SluiceError {
  const code = (cause as NodeJS.ErrnoException).code;
  const details = { file: path };
  if (code === "ELOOP") return new SluiceError("FILE_REFUSED", `${path}: a symbolic link`, { cause, details });
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new SluiceError("FILE_CHANGED", `${path}: disappeared after it was listed`, { cause, details });
  }
  return new SluiceError("READ_FAILED", `${path}: cannot be read (${code ?? "unknown"})`, { cause, details });
}

/**
 * Reads a regular file once into memory. Links are not followed; the file must be the same as when it was listed, and
 * must not change while it is read.
 * @param realRoot  real path of the folder, without links
 * @param path      path relative to that folder, with `/`
 * @param listed    `lstat` data from listing the folder
 * @throws {SluiceError} FILE_REFUSED, FILE_CHANGED, READ_FAILED; details.file is `path`
 */
export async function readRegularFile(realRoot: string, path: string, listed: BigIntStats): Promise<Buffer> {
  const absolute = join(realRoot, path);
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let handle: FileHandle | undefined;
  try {
    handle = await open(absolute, flags);
    const before = await handle.stat({ bigint: true });
    if (!before.isFile()) {
      throw new SluiceError("FILE_REFUSED", `${path}: not a regular file`, { details: { file: path } });
    }
    await requireOwnPath(handle, absolute, path);
    requireSame(listed, before, path);
    const bytes = Buffer.allocUnsafeSlow(Number(before.size));
    await fill(handle, bytes, path);
    requireSame(before, await handle.stat({ bigint: true }), path);
    return bytes;
  } catch (cause) {
    throw cause instanceof SluiceError ? cause : openFailure(cause, path);
  } finally {
    await handle?.close();
  }
}
