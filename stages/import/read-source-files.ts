import { counted } from "../../src/documents/number-text.js";
import { readdir, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import type { SourceFile } from "../../datasets/importers/imported-dataset.js";
import { SluiceError } from "../../src/base/error.js";
import { readRegularInput } from "../../src/base/files.js";

/** Limits for reading a folder; an export of intents is never larger. */
const mostFiles = 5000;
const mostBytes = 256 * 1024 * 1024;

/** Supported file extensions. */
const known = /\.(json|jsonl|ndjson|ya?ml|csv|tsv|txt|parquet|xlsx|md|lu|chatito|ini|intent|dialog|voc|entity|zip)$/i;

/**
 * Reads one file, or all files of a folder, sorted by relative path. Hidden files and `node_modules` are skipped.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, FILE_TYPE_REFUSED; TOO_LARGE  for more than 5,000 files or 256 MiB
 */
export async function readSourceFiles(path: string): Promise<readonly SourceFile[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [{ file: basename(path), bytes: await readRegularInput(path) }];
  const names = await namesBelow(path);
  if (names.length > mostFiles) throw tooLarge(path, counted(names.length, "file"), counted(mostFiles, "file"));
  const files: SourceFile[] = [];
  let total = 0;
  for (const name of names) {
    const bytes = await readRegularInput(join(path, name));
    total += bytes.length;
    if (total > mostBytes) throw tooLarge(path, "more than 256 MiB", "256 MiB");
    files.push({ file: name, bytes });
  }
  return files;
}

async function namesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && known.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep))
    .filter((parts) => parts.every((part) => !part.startsWith(".") && part !== "node_modules"))
    .map((parts) => parts.join("/"))
    .sort();
}

function tooLarge(path: string, found: string, limit: string): SluiceError {
  return new SluiceError("TOO_LARGE", `${path}: found ${found}, at most ${limit} are read`, {
    hint: "Use a folder with only the intents, or one file.",
  });
}
