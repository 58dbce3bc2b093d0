import { canonicalJson } from "../src/base/canonical-json.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { Dataset, LabelledRequest } from "../src/documents/dataset.js";

/** Canonical JSONL of a dataset: one RFC 8785 object per row, in row order; every line ends with a line feed. */
export function datasetBytes(rows: readonly LabelledRequest[]): Buffer {
  return Buffer.from(rows.map((row) => `${canonicalJson(row)}\n`).join(""), "utf8");
}

/**
 * Rows with the digest that identifies them, the SHA-256 of `datasetBytes(rows)`. It depends on the order of the rows.
 */
export function datasetOf(rows: readonly LabelledRequest[]): Dataset {
  return { sha256: sha256Hex(datasetBytes(rows)), rows };
}
