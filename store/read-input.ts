import { constants } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { SluiceError } from "../src/base/error.js";

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
