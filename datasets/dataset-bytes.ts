import { canonicalJson } from "../src/base/canonical-json.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { Dataset, LabelledRequest } from "../src/documents/dataset.js";

/** Canonical JSONL of a dataset: one RFC 8785 object per row, in row order, each line ended by a line feed. */
export function datasetBytes(rows: readonly LabelledRequest[]): Buffer {
  return Buffer.from(rows.map((row) => `${canonicalJson(row)}\n`).join(""), "utf8");
}

/** Rows with their identity: the SHA-256 of `datasetBytes(rows)`. A different row order gives a different dataset. */
export function datasetOf(rows: readonly LabelledRequest[]): Dataset {
  return { sha256: sha256Hex(datasetBytes(rows)), rows };
}
