import type { Band, Measured } from "./evaluation.js";

/** Measures of a scored ranking, all in [0, 1]; higher is better. */
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

/** Whether a measure is a share of requests; all are except the AUROCs. */
export const isShare = (name: AnswerMeasure): boolean => name !== "auroc_near" && name !== "auroc_far";

/**
 * Verdict of a paired difference. A side is better only if the 95% band excludes 0 and the test agrees. `tied`: the
 * band contains 0. `not_shown`: too few workflows and groups, no band, or a test that disagrees.
 */
export type PairedVerdict = "a_better" | "b_better" | "tied" | "not_shown";

/** The value of one side and its band over resampled clusters. */
export interface MeasuredAnswer {
  readonly measured: Measured;
  readonly band: Band | null;
}

/** One measure of two systems on the same requests. */
export interface AnswerComparison {
  readonly name: AnswerMeasure;
  readonly a: MeasuredAnswer;
  readonly b: MeasuredAnswer;
  /** A - B, from paired resamples. */
  readonly difference: MeasuredAnswer;
  /**
   * p-value of a sign-flip test that flips the requests of a cluster together; null for measures that are not a share
   * of requests.
   */
  readonly p_value: number | null;
  readonly verdict: PairedVerdict;
}

/** A run (A) compared with one baseline (B). */
export interface BaselineComparison {
  readonly baseline: string;
  readonly requests: number;
  readonly in_scope: number;
  /** Number of workflows and out-of-scope groups. */
  readonly clusters: number;
  readonly measures: readonly AnswerComparison[];
}
