import { join } from "node:path";
import type { BenchmarkOptions } from "../../../datasets/importers/benchmark.js";
import type { ImportedDataset, SourceFile } from "../../../datasets/importers/imported-dataset.js";
import { readInput } from "../../read-input.js";

export const datasetFormats = ["jsonl", "clinc150", "banking77"] as const;
export type DatasetFormat = (typeof datasetFormats)[number];

async function sourceFile(file: string): Promise<SourceFile> {
  return { file, bytes: await readInput(file) };
}

/**
 * Reads a source in its format. BANKING77 is a folder with train.csv and test.csv, the others are one file.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, and those of the importers
 */
export async function readSource(
  path: string,
  format: DatasetFormat,
  options: BenchmarkOptions,
): Promise<ImportedDataset> {
  switch (format) {
    case "jsonl": {
      const { importOwnJsonl } = await import("../../../datasets/importers/own-jsonl.js");
      return importOwnJsonl(await sourceFile(path));
    }
    case "clinc150": {
      const { importClinc150 } = await import("../../../datasets/importers/clinc150.js");
      return importClinc150(await sourceFile(path), options);
    }
    case "banking77": {
      const { importBanking77 } = await import("../../../datasets/importers/banking77.js");
      const train = await sourceFile(join(path, "train.csv"));
      return importBanking77({ train, test: await sourceFile(join(path, "test.csv")) }, options);
    }
  }
}
