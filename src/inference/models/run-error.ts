import { SluiceError } from "../../base/error.js";

/** Converts a failed model run into a SluiceError. */
export function toRunError(thrown: unknown): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const message = `ONNX Runtime failed to run the graph: ${reason}`;
  return new SluiceError("MODEL_RUN_FAILED", message, { cause: thrown, details: { reason } });
}
