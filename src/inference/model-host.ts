import type { RunScope } from "../documents/run-scope.js";
import type { JobInput, ModelSpec, RowsOutput } from "./protocol.js";

export interface LoadedModel {
  /** Number of the model, the same in every thread. */
  readonly model: number;
  /**
   * Returns one row of output per row of input. A late result is dropped; the thread keeps running.
   * @throws {SluiceError} BACKEND_OVERLOADED, DEADLINE_EXCEEDED, REQUEST_CANCELLED, MODEL_RUN_FAILED
   */
  run(input: JobInput, scope: RunScope): Promise<RowsOutput>;
}

/** Loads models into the threads of a pool, or into the calling thread. */
export interface ModelHost {
  /** @throws {SluiceError} MODEL_INVALID, MODEL_RUN_FAILED */
  load(spec: ModelSpec): Promise<LoadedModel>;
}
