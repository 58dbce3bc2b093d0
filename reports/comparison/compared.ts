import type { PairedVerdict } from "../../src/documents/baseline.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { Band, Evaluation, Measured } from "../../src/documents/evaluation.js";
import type { Rate } from "../../src/documents/rate.js";

/** One measure of both sides on the same requests. */
export interface ComparedMeasure {
  readonly name: string;
  readonly a: Rate;
  readonly b: Rate;
  /** B - A. */
  readonly difference: Measured;
  readonly band: Band | null;
  readonly sign_flip: { readonly p_value: number } | null;
  readonly verdict: PairedVerdict;
}

/** One side's decision on a request. */
export interface ComparedAnswer {
  readonly ending: string;
  readonly workflow_id: string | null;
  readonly reason_code: string;
  readonly confidence: number;
}

/** A request that the two sides decide differently. */
export interface ComparedFlip {
  readonly id: string;
  /** The right workflow; null: out of scope. */
  readonly workflow_id: string | null;
  readonly effect: "better" | "worse" | "neutral";
  readonly a: ComparedAnswer;
  readonly b: ComparedAnswer;
}

/** Number of requests, and how many of them the sides decide differently. */
export interface ComparedCount {
  readonly requests: number;
  readonly flips: number;
  readonly better: number;
  readonly worse: number;
}

/** Differences between the decisions of two runs. */
export interface ComparedDecisions {
  readonly requests: number;
  readonly workflows: number;
  readonly only_in_a: number;
  readonly only_in_b: number;
  readonly not_scored: number;
  /** Number of requests per pair of endings on both sides. */
  readonly endings: readonly { readonly a: string; readonly b: string; readonly requests: number }[];
  readonly total: ComparedCount;
  readonly by_tier: readonly (ComparedCount & { readonly tier: string })[];
  readonly by_workflow: readonly (ComparedCount & { readonly workflow_id: string | null })[];
  readonly measures: readonly ComparedMeasure[];
  readonly flips: readonly ComparedFlip[];
}

/** One side of a comparison. */
export interface ComparedSubject {
  readonly runSha256: string;
  readonly calibrationSha256: string | null;
  /** null if the same confidence decides for every tier, or if there are no thresholds. */
  readonly calibration: Calibration | null;
  readonly evaluation: Evaluation;
}
