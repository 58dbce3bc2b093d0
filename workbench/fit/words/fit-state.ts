import type { AdamState } from "../linalg/sparse-adam.js";

/** Where a fit stands. The arrays are those that the fit itself changes. */
export interface FitState extends AdamState {
  /** Vectors, shape (size, dimensions), row-major. */
  readonly values: Float32Array;
  /** Loss of each step so far, nats per pair. */
  readonly losses: number[];
}

/** Keeps the state of a fit, so that an interrupted one goes on where it stood and gives the same bytes. */
export interface FitCheckpoint {
  /** What was kept for a fit of this identity, or null. */
  read(identity: string): Promise<FitState | null>;
  write(identity: string, state: FitState): Promise<void>;
}

/** For a fit that need not survive: keeps nothing. */
export const noCheckpoint: FitCheckpoint = {
  read: () => Promise.resolve(null),
  write: () => Promise.resolve(),
};
