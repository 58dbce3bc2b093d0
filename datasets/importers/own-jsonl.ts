import { sha256Hex } from "../../src/digest/sha256.js";
import { readJsonl } from "../read-jsonl.js";
import type { ImportedDataset, SourceFile } from "./imported-dataset.js";

/**
 * A data set in the own row format. It brings no catalog and states no licence.
 * @throws {SluiceError} as `readJsonl`
 */
export function importOwnJsonl(source: SourceFile): ImportedDataset {
  const { file, bytes } = source;
  return { rows: readJsonl(bytes, file), catalog: null, sources: [{ file, sha256: sha256Hex(bytes), licence: null }] };
}
