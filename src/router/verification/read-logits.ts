import { SluiceError } from "../../base/error.js";
import type { RowsOutput } from "../../inference/protocol.js";
import type { LabelMapping } from "./label-mapping.js";
import type { Verification } from "./verifier.js";

/**
 * Reads the logits of a model's output, one set per pair.
 * @throws {SluiceError} MODEL_RUN_FAILED if the number of columns differs from the label order
 */
export function readLogits(
  { matrix, truncatedRows }: RowsOutput,
  mapping: LabelMapping,
): Pick<Verification, "logits" | "truncatedRows"> {
  const { rows, columns, values } = matrix;
  if (columns !== mapping.columns) {
    const message = `verifier output has ${columns} columns, but its label_order names ${mapping.columns}`;
    throw new SluiceError("MODEL_RUN_FAILED", message);
  }
  const logits = Array.from({ length: rows }, (_, row) =>
    mapping.logits(values.subarray(row * columns, (row + 1) * columns)),
  );
  return { logits, truncatedRows };
}
