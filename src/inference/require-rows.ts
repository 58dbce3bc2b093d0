import { SluiceError } from "../base/error.js";
import type { JobOutput, RowsOutput } from "./protocol.js";

/** The rows that a model made. @throws {SluiceError} MODEL_RUN_FAILED for what is none */
export function requireRows(output: JobOutput): RowsOutput {
  if (output.kind === "rows") return output;
  throw new SluiceError("MODEL_RUN_FAILED", "the model returned scores, expected rows");
}
