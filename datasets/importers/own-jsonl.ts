import { sha256Hex } from "../../src/base/sha256.js";
import { BadRows } from "../bad-rows.js";
import { readJsonl } from "../read-jsonl.js";
import type { ImportedDataset, ImportOptions, SourceFile } from "./imported-dataset.js";

/**
 * A dataset in Sluice's row format, without catalog and licence.
 * @throws {SluiceError} as `readJsonl`
 */
export function importOwnJsonl({ file, bytes }: SourceFile, options: ImportOptions = {}): ImportedDataset {
  const bad = new BadRows(options.maxBadRows);
  const rows = readJsonl(bytes, file, bad);
  const sources = [{ file, sha256: sha256Hex(bytes), licence: null }];
  return { rows, catalog: null, sources, badRows: bad.settle() };
}
