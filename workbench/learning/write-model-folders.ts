import { rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SluiceError } from "../../src/errors/error.js";
import type { ModelFiles } from "../../src/retrieval/model-files.js";
import { makeFolders } from "../make-folders.js";

/**
 * Writes `retriever/` and `verifier/` into a folder, and other files next to them; replaces the folder atomically.
 * @throws {SluiceError} WRITE_FAILED
 */
export async function writeModelFolders(
  directory: string,
  models: { readonly retriever: ModelFiles; readonly verifier: ModelFiles },
  others: ModelFiles = new Map(),
): Promise<void> {
  const staging = `${directory}.partial`;
  const inFolder = (folder: string, files: ModelFiles) =>
    [...files].map(([path, bytes]) => [join(staging, folder, path), bytes] as const);
  const all = [
    ...inFolder("retriever", models.retriever),
    ...inFolder("verifier", models.verifier),
    ...inFolder("", others),
  ];
  try {
    await rm(staging, { recursive: true, force: true });
    for (const [target, bytes] of all) {
      await makeFolders(dirname(target));
      await writeFile(target, bytes);
    }
    await rm(directory, { recursive: true, force: true });
    await rename(staging, directory);
  } catch (cause) {
    await rm(staging, { recursive: true, force: true });
    const code = (cause as NodeJS.ErrnoException).code ?? "no code";
    throw new SluiceError("WRITE_FAILED", `${directory}: the models cannot be written (${code})`, { cause });
  }
}
