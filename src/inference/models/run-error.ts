import { SluiceError } from "../../errors/error.js";

/** An error of a run, as an error of the closed table. */
export function toRunError(thrown: unknown): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  return new SluiceError("MODEL_RUN_FAILED", "ONNX Runtime failed to run the graph", { cause: thrown });
}
