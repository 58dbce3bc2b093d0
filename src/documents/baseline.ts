import type { Band, Measured } from "./evaluation.js";

/** Measures of a ranking with a score, all in [0, 1] and better when higher. */
export const answerMeasures = [
  "first_right",
  "recall_at_1",
  "recall_at_5",
  "recall_at_10",
  "auroc_near",
  "auroc_far",
  "coverage_at_90",
  "coverage_at_95",
] as const;
export type AnswerMeasure = (typeof answerMeasures)[number];

/** Every measure but the AUROC is a share of requests. */
export const isShare = (name: AnswerMeasure): boolean => name !== "auroc_near" && name !== "auroc_far";

/**
 * Verdict of a paired difference. A side is better only where a 95 % band excludes 0 and the test agrees; `tied`: the
 * band contains 0; `not_shown`: too few workflows and groups, no band, or a test that disagrees.
 */
export type PairedVerdict = "a_better" | "b_better" | "tied" | "not_shown";

/** One side of a comparison: the number and its band over resampled clusters. */
export interface MeasuredAnswer {
  readonly measured: Measured;
  readonly band: Band | null;
}

/** One measure of two systems on the same requests. */
export interface AnswerComparison {
  readonly name: AnswerMeasure;
  readonly a: MeasuredAnswer;
  readonly b: MeasuredAnswer;
  /** A - B, from resamples that both sides see. */
  readonly difference: MeasuredAnswer;
  /** Sign-flip test with the requests of one cluster together; null for measures that are not a share of the requests. */
  readonly p_value: number | null;
  readonly verdict: PairedVerdict;
}

/** A run (A) compared with one baseline (B). */
export interface BaselineComparison {
  readonly baseline: string;
  readonly requests: number;
  readonly in_scope: number;
  /** Workflows and out-of-scope groups. */
  readonly clusters: number;
  readonly measures: readonly AnswerComparison[];
}
