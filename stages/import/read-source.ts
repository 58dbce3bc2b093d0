import { readdir, stat } from "node:fs/promises";
import type { DatasetFormat } from "../choices.js";
import { basename, join, relative, sep } from "node:path";
import type { ImportedDataset, SourceFile } from "../../datasets/importers/imported-dataset.js";
import type { TableOptions } from "../../datasets/importers/table.js";
import { SluiceError } from "../../src/base/error.js";
import { readRegularInput } from "../../src/base/files.js";
import { counted } from "../../src/documents/number-text.js";

export interface ReadSourceOptions {
  readonly table: TableOptions;
  /** Whether an option was given that only a table has, in which case the source is read as one. */
  readonly mapped: boolean;
  readonly language: string | undefined;
}

async function sourceFile(file: string): Promise<SourceFile> {
  return { file, bytes: await readRegularInput(file) };
}

const importers: Readonly<
  Record<DatasetFormat, (path: string, options: ReadSourceOptions) => Promise<ImportedDataset>>
> = {
  auto: (path, options) => (options.mapped ? importers.table(path, options) : importRecognised(path, options)),
  jsonl: async (path, options) => {
    const { importOwnJsonl } = await import("../../datasets/importers/own-jsonl.js");
    return importOwnJsonl(await sourceFile(path), options.table);
  },
  table: async (path, options) => {
    const { importTable } = await import("../../datasets/importers/table.js");
    return importTable(await sourceFile(path), options.table);
  },
};

async function importRecognised(path: string, options: ReadSourceOptions): Promise<ImportedDataset> {
  const { importSource } = await import("../../datasets/importers/source.js");
  const { defaultChoices } = await import("../../datasets/sources/choices.js");
  const outOfScopeLabels = options.table.mapping?.outOfScopeValues ?? defaultChoices.outOfScopeLabels;
  const { text, workflow } = options.table.mapping?.columns ?? {};
  return importSource(await readSourceFiles(path), {
    ...options.table,
    choices: {
      ...defaultChoices,
      ...(options.language === undefined ? {} : { language: options.language }),
      outOfScopeLabels,
      lookAlikes: "keep",
      ...(text === undefined ? {} : { textColumn: text }),
      ...(workflow === undefined ? {} : { labelColumn: workflow }),
    },
  });
}

/**
 * Reads a source in a given format: one file, or a folder if its kind is recognised.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, and the errors of the importers
 */
export function readSource(path: string, format: DatasetFormat, options: ReadSourceOptions): Promise<ImportedDataset> {
  return importers[format](path, options);
}

/** Limits for reading a folder; an export of intents is never larger. */
const mostFiles = 5000;
const mostBytes = 256 * 1024 * 1024;

/** Supported file extensions. */
const known =
  /\.(json|jsonl|ndjson|ya?ml|csv|tsv|txt|parquet|xlsx|md|lu|chatito|ini|intent|dialog|voc|entity|zip|gz|vf|xls|ods|xml|html?|sql|db|sqlite|arrow|pkl|orc|avro)$/i;

/**
 * Reads one file, or all files of a folder, sorted by relative path. Hidden files and `node_modules` are skipped.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, FILE_REFUSED; TOO_LARGE  for more than 5,000 files or 256 MiB
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
