import type { Measured } from "../../src/documents/evaluation.js";

/** Why a number is undefined. */
export type NullReason =
  | "EMPTY_DENOMINATOR"
  | "ONE_SIDE_EMPTY"
  | "TOO_FEW_WORKFLOWS"
  | "ZERO_VARIANCE"
  | "COVERAGE_NOT_REACHED"
  | "INFINITE";

/** A defined number, computed from `n` rows. */
export const measured = (value: number, n: number): Measured => ({ value, n, null_reason: null });

/** An undefined number, with the reason. */
export const undefinedBecause = (nullReason: NullReason, n: number): Measured => ({
  value: null,
  n,
  null_reason: nullReason,
});
