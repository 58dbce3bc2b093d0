import { readFile } from "node:fs/promises";
import { SluiceError } from "../src/errors/error.js";

/** Bytes of a file that the caller named. @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED */
export async function readInput(path: string): Promise<Buffer> {
  return readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT" || cause.code === "ENOTDIR") {
      throw new SluiceError("FILE_NOT_FOUND", `${path}: no such file`, { hint: "Check the path.", cause });
    }
    throw new SluiceError("READ_FAILED", `${path}: cannot be read (${cause.code ?? "no code"})`, {
      hint: cause.code === "EISDIR" ? "Use a file, not a folder." : "Check the permissions of the file.",
      cause,
    });
  });
}
