import type { AdamState } from "../linalg/sparse-adam.js";

/** State of a fit. The arrays are the ones that the fit changes. */
export interface FitState extends AdamState {
  /** Vectors, shape (size, dimensions), row-major. */
  readonly values: Float32Array;
  /** Loss of each step so far, nats per pair. */
  readonly losses: number[];
}

/** Stores the state of a fit, so that an interrupted fit resumes and gives the same bytes. */
export interface FitCheckpoint {
  /** The stored state of the fit with this identity, or null. */
  read(identity: string): Promise<FitState | null>;
  write(identity: string, state: FitState): Promise<void>;
}

/** For a fit that is not resumable: stores nothing. */
export const noCheckpoint: FitCheckpoint = {
  read: () => Promise.resolve(null),
  write: () => Promise.resolve(),
};
