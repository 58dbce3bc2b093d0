import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { datasetBytes } from "../../datasets/dataset-bytes.js";
import type { AssemblyOptions } from "../../datasets/importers/assemble-dataset.js";
import type { ImportedDataset, SourceFile } from "../../datasets/importers/imported-dataset.js";
import { importBanking77 } from "./banking77.js";
import { importClinc150 } from "./clinc150.js";
import { importSgd } from "./import-sgd.js";

export const benchmarks = ["banking77", "clinc150", "sgd"] as const;
export type Benchmark = (typeof benchmarks)[number];

const sourceFile = (file: string): SourceFile => ({ file, bytes: readFileSync(file) });

/**
 * Writes published data as `requests.jsonl` and `catalog.json`, for `sluice dataset import`.
 * @param path  clinc150: `data_full.json`; banking77: the folder of `train.csv` and `test.csv`; sgd: the folder of
 *   `data.jsonl` and `catalog.jsonl`, or of `train`, `dev` and `test`
 */
export async function writeBenchmark(
  name: Benchmark,
  path: string,
  folder: string,
  options: AssemblyOptions = {},
): Promise<void> {
  const { rows, catalog } = await readBenchmark(name, path, options);
  writeFileSync(join(folder, "requests.jsonl"), datasetBytes(rows));
  writeFileSync(join(folder, "catalog.json"), `${JSON.stringify(catalog, null, 2)}\n`);
}

async function readBenchmark(name: Benchmark, path: string, options: AssemblyOptions): Promise<ImportedDataset> {
  switch (name) {
    case "banking77":
      return importBanking77(
        { train: sourceFile(join(path, "train.csv")), test: sourceFile(join(path, "test.csv")) },
        options,
      );
    case "clinc150": {
      const domains = readdirSync(dirname(path)).includes("domains.json")
        ? { domains: sourceFile(join(dirname(path), "domains.json")) }
        : {};
      return importClinc150(sourceFile(path), { ...options, ...domains });
    }
    case "sgd":
      return importSgd(sgdFiles(path), options);
  }
}

/** The files of a folder with extracted requests, or of one or more parts with `schema.json`. */
function sgdFiles(path: string): Parameters<typeof importSgd>[0] {
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (files.includes(join(path, "data.jsonl"))) {
    const [requests, catalog] = [sourceFile(join(path, "data.jsonl")), sourceFile(join(path, "catalog.jsonl"))];
    return { kind: "lines", requests, catalog };
  }
  const parts = files
    .filter((file) => basename(file) === "schema.json")
    .map((schema) => ({
      part: basename(dirname(schema)),
      schema: sourceFile(schema),
      dialogues: files
        .filter((file) => dirname(file) === dirname(schema) && /^dialogues_\d+\.json$/.test(basename(file)))
        .map(sourceFile),
    }));
  return { kind: "dialogues", parts };
}
