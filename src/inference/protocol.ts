import type { PlainError } from "../errors/transport.js";

/** A float32 matrix, row-major. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
}

export type ToWorker =
  | { readonly kind: "load"; readonly model: number; readonly bytes: Uint8Array }
  | {
      readonly kind: "run";
      readonly jobs: readonly { readonly id: number; readonly model: number; readonly input: Matrix }[];
    }
  | { readonly kind: "stop" };

export type FromWorker =
  | { readonly kind: "loaded"; readonly model: number; readonly error: PlainError | null }
  | { readonly kind: "done"; readonly id: number; readonly output: Matrix }
  | { readonly kind: "failed"; readonly id: number; readonly error: PlainError }
  | { readonly kind: "stopped" };
