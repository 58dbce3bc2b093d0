import type { SluiceError } from "../../base/error.js";
import type { BuiltIndex, Job, JobOutput } from "../protocol.js";

export type JobOutcome =
  | { readonly id: number; readonly output: JobOutput }
  | { readonly id: number; readonly error: SluiceError };

/** A model inside an inference thread. Its methods are never called concurrently. */
export interface WorkerModel {
  /** Runs jobs, each in its own run, and yields each outcome as soon as it is known. Never throws. */
  run(jobs: readonly Job[]): AsyncIterable<JobOutcome>;
  /** Index that other threads can reuse instead of building it; absent if there is none. */
  readonly built?: BuiltIndex;
  /** Words in an encoder's vocabulary, most frequent first; absent for other models. */
  readonly words?: readonly string[];
  /** Frees the native session. */
  release(): Promise<void>;
}

/** Finds the model that the thread has loaded under a number. */
export type FindModel = (model: number) => WorkerModel | undefined;
