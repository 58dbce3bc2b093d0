import type { RunScope } from "../documents/run-scope.js";
import type { JobInput, ModelSpec, RowsOutput } from "./protocol.js";

export interface LoadedModel {
  /** Its number in every thread. */
  readonly model: number;
  /**
   * One row of output per row of input. A late result is dropped; the thread is left alone.
   * @throws {SluiceError} BACKEND_OVERLOADED, DEADLINE_EXCEEDED, REQUEST_CANCELLED, MODEL_RUN_FAILED
   */
  run(input: JobInput, scope: RunScope): Promise<RowsOutput>;
}

/** Where models are loaded: the threads of a pool, or the calling thread. */
export interface ModelHost {
  /** @throws {SluiceError} MODEL_INVALID, MODEL_RUN_FAILED */
  load(spec: ModelSpec): Promise<LoadedModel>;
}
