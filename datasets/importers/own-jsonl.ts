import { sha256Hex } from "../../src/base/sha256.js";
import { BadRows } from "../bad-rows.js";
import { readJsonl } from "../read-jsonl.js";
import type { ImportedDataset, ImportOptions, SourceFile } from "./imported-dataset.js";

/** Imports a dataset in Sluice's row format, without a catalog or licence. @throws {SluiceError} as `readJsonl` */
export function importOwnJsonl({ file, bytes }: SourceFile, options: ImportOptions = {}): ImportedDataset {
  const bad = new BadRows(options.maxBadRows);
  const rows = readJsonl(bytes, file, bad);
  const sources = [{ file, sha256: sha256Hex(bytes), licence: null }];
  return { rows, catalog: null, sources, badRows: bad.settle() };
}
