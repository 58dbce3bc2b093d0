import { SluiceError } from "../base/error.js";
import type { JobOutput, RowsOutput } from "./protocol.js";

/** Returns the rows in a model's output. @throws {SluiceError} MODEL_RUN_FAILED for any other output */
export function requireRows(output: JobOutput): RowsOutput {
  if (output.kind === "rows") return output;
  throw new SluiceError("MODEL_RUN_FAILED", "the model returned scores, expected rows");
}
