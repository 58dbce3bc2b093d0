import type { SluiceError } from "../../base/error.js";
import type { BuiltIndex, Job, JobOutput } from "../protocol.js";

/** The outcome of one job. */
export type JobOutcome =
  | { readonly id: number; readonly output: JobOutput }
  | { readonly id: number; readonly error: SluiceError };

/** A model inside an inference thread. Its methods are never called concurrently. */
export interface WorkerModel {
  /** Runs jobs, together where they may share runs; yields each outcome when it is known. Never throws. */
  run(jobs: readonly Job[]): AsyncIterable<JobOutcome>;
  /** What other threads need not build again; absent where there is nothing. */
  readonly built?: BuiltIndex;
  /** Words that an encoder knows, the frequent ones first; absent where there are none. */
  readonly words?: readonly string[];
  /** Frees the native session. */
  release(): Promise<void>;
}

/** The model that a thread has loaded under a number. */
export type FindModel = (model: number) => WorkerModel | undefined;
