import { readdir, stat } from "node:fs/promises";
import type { DatasetFormat } from "../choices.js";
import { basename, dirname, join, relative, sep } from "node:path";
import type { ImportedDataset, SourceFile } from "../../datasets/importers/imported-dataset.js";
import type { SgdFiles } from "../../datasets/importers/sgd/import-sgd.js";
import type { SgdPart } from "../../datasets/importers/sgd/sgd-dialogues.js";
import type { TableFormat, TableOptions } from "../../datasets/importers/table.js";
import { SluiceError } from "../../src/base/error.js";
import { readRegularInput } from "../../src/base/files.js";
import { counted } from "../../src/documents/number-text.js";

/** Options for reading a source in any format. */
export interface ReadSourceOptions {
  readonly table: TableOptions;
  /** Whether a table option was given, in which case JSONL is read as a table. */
  readonly mapped: boolean;
  /** Delimiter, one character. */
  readonly delimiter: string;
  readonly language: string | undefined;
}

async function sourceFile(file: string): Promise<SourceFile> {
  return { file, bytes: await readRegularInput(file) };
}

/** Paths of the files in a folder and its subfolders. @throws {SluiceError} FILE_NOT_FOUND */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new SluiceError("FILE_NOT_FOUND", `${folder}: no such folder`, { hint: "Check the path.", cause });
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The importer of each format and the files that it reads. */
const importers: Readonly<
  Record<DatasetFormat, (path: string, options: ReadSourceOptions) => Promise<ImportedDataset>>
> = {
  auto: (path, options) => importRecognised(path, options),
  jsonl: async (path, options) => {
    const source = await sourceFile(path);
    if (options.mapped) return importAsTable(source, { kind: "jsonl" }, options);
    const { importOwnJsonl } = await import("../../datasets/importers/own-jsonl.js");
    return importOwnJsonl(source, options.table);
  },
  csv: async (path, options) =>
    importAsTable(await sourceFile(path), { kind: "csv", delimiter: options.delimiter }, options),
  parquet: async (path, options) => importAsTable(await sourceFile(path), { kind: "parquet" }, options),
  clinc150: async (path, options) => {
    const { importClinc150 } = await import("../../datasets/importers/clinc150.js");
    const domains = join(dirname(path), "domains.json");
    const siblings = (await isFile(domains)) ? { domains: await sourceFile(domains) } : {};
    return importClinc150(await sourceFile(path), { ...options.table, ...siblings });
  },
  banking77: async (path, options) => {
    const { importBanking77 } = await import("../../datasets/importers/banking77.js");
    const train = await sourceFile(join(path, "train.csv"));
    return importBanking77({ train, test: await sourceFile(join(path, "test.csv")) }, options.table);
  },
  sgd: async (path, options) => {
    const { importSgd } = await import("../../datasets/importers/sgd/import-sgd.js");
    return importSgd(await sgdFiles(path), options.table);
  },
};

/** Imports a source whose kind is recognised from its bytes. */
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
 * Reads a source in a given format: one file, or the folder in which the format is published.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, and the errors of the importers
 */
export function readSource(path: string, format: DatasetFormat, options: ReadSourceOptions): Promise<ImportedDataset> {
  return importers[format](path, options);
}

async function importAsTable(
  source: SourceFile,
  format: TableFormat,
  options: ReadSourceOptions,
): Promise<ImportedDataset> {
  const { importTable } = await import("../../datasets/importers/table.js");
  return importTable(source, format, options.table);
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/**
 * The files of a folder with `data.jsonl` and `catalog.jsonl`, with `schema.json`, or with subfolders of the latter
 * kind (train, dev, test).
 */
async function sgdFiles(path: string): Promise<SgdFiles> {
  const files = await filesIn(path);
  const [requests, catalog] = [join(path, "data.jsonl"), join(path, "catalog.jsonl")];
  if (files.includes(requests)) {
    return { kind: "lines", requests: await sourceFile(requests), catalog: await sourceFile(catalog) };
  }
  const schemas = files.filter((file) => basename(file) === "schema.json");
  if (schemas.length === 0) {
    throw new SluiceError("FILE_NOT_FOUND", `${path}: no schema.json and no data.jsonl in this folder`, {
      hint: "Use the folder with train, dev and test of google-research-datasets/dstc8-schema-guided-dialogue.",
    });
  }
  const parts = await Promise.all(schemas.map((schema) => sgdPart(schema, files)));
  return { kind: "dialogues", parts };
}

async function sgdPart(schema: string, files: readonly string[]): Promise<SgdPart> {
  const folder = join(schema, "..");
  const dialogues = files.filter((file) => join(file, "..") === folder && /^dialogues_\d+\.json$/.test(basename(file)));
  return {
    part: basename(folder),
    schema: await sourceFile(schema),
    dialogues: await Promise.all(dialogues.map(sourceFile)),
  };
}

/** Limits for reading a folder; an export of intents is never larger. */
const mostFiles = 5000;
const mostBytes = 256 * 1024 * 1024;

/** Supported file extensions. */
const known = /\.(json|jsonl|ndjson|ya?ml|csv|tsv|txt|parquet|xlsx|md|lu|chatito|ini|intent|dialog|voc|entity|zip)$/i;

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
