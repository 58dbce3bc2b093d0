import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile, writeNewFile } from "../../src/base/files.js";
import { SluiceError } from "../../src/base/error.js";
import { modelFileName } from "../../src/router/retrieval/model-files.js";

const fileMode = 0o644;

/**
 * Writes `router_model.json`; a description with other content is replaced only by `force`.
 * @returns false when the same content was there already
 * @throws {SluiceError} FILE_EXISTS, READ_FAILED, WRITE_FAILED
 */
export async function writeDescription(folder: string, bytes: Buffer, force: boolean): Promise<boolean> {
  const file = join(folder, modelFileName);
  const present = await readIfPresent(file);
  if (present?.equals(bytes) === true) return false;
  if (present === undefined) {
    await writeNewFile(file, bytes, fileMode);
    return true;
  }
  if (!force) {
    throw new SluiceError("FILE_EXISTS", `${file}: contains a different description and was not overwritten`, {
      hint: `Replace it with --force, or check the existing one: sluice model check ${folder}`,
    });
  }
  await replaceFile(file, bytes, fileMode);
  return true;
}

async function readIfPresent(file: string): Promise<Buffer | undefined> {
  return readFile(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw new SluiceError("READ_FAILED", `${file}: cannot be read (${cause.code ?? "no code"})`, { cause });
  });
}
