/** A proportion with its evidence. An undefined one is null with a reason, never 0 or NaN. */
export interface Rate {
  /** Events and trials: integers, 0 <= k <= n. */
  readonly k: number;
  readonly n: number;
  /** Clusters (workflows and out-of-scope groups) with at least one trial. */
  readonly workflows: number;
  readonly estimate: number | null;
  readonly nullReason: null | "EMPTY_DENOMINATOR";
  readonly method: "clopper-pearson" | "cp-neff";
  readonly sides: 2;
  readonly confidence: number;
  readonly lower: number | null;
  readonly upper: number | null;
  readonly icc: number | null;
  readonly designEffect: number | null;
  readonly effectiveN: number | null;
}
