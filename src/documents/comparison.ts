import type { PairedVerdict } from "./baseline.js";
import type { RiskTier } from "./choices.js";
import type { Decision } from "./decision.js";
import type { Band, Measured } from "./evaluation.js";
import type { Share } from "./rate.js";

/** Two-sided p-value of the sign-flip test, and how it was computed. */
export interface SignFlipTest {
  readonly p_value: number;
  readonly method: "exact" | "monte-carlo";
  /** Number of clusters, including those without a difference. */
  readonly workflows: number;
}

export const measureNames = [
  "coverage",
  "in_scope_right",
  "out_of_scope_routed",
  "joint_risk",
  "selective_risk",
] as const;

export type MeasureName = (typeof measureNames)[number];

/** A measure of both sides on the same requests. */
export interface PairedMeasure {
  readonly name: MeasureName;
  readonly a: Share;
  readonly b: Share;
  /** B - A. */
  readonly difference: Measured;
  /** Paired: both sides see the same resampled clusters. Resamples in which a side routes nothing are dropped. */
  readonly band: Band | null;
  /** Flips the sign of whole clusters. null if the two sides have different denominators. */
  readonly sign_flip: SignFlipTest | null;
  readonly verdict: PairedVerdict;
}

/** How a request can end, from best to worst for an in-scope request. */
export const endings = ["routed_right", "asked_right", "declined", "asked_wrong", "routed_wrong"] as const;

export type Ending = (typeof endings)[number];

export type Effect = "better" | "worse" | "neutral";

export interface DecidedSide {
  readonly ending: Ending;
  readonly workflow_id: string | null;
  readonly reason_code: Decision["reason_code"];
  readonly confidence: number;
  readonly risk_tier: RiskTier | null;
}

/** A request that the two sides decide differently: the kind of decision differs, or the workflow. */
export interface Flip {
  readonly id: string;
  /** Gold workflow; null: out of scope. */
  readonly workflow_id: string | null;
  readonly effect: Effect;
  readonly a: DecidedSide;
  readonly b: DecidedSide;
}

export interface FlipCount {
  readonly requests: number;
  readonly flips: number;
  readonly better: number;
  readonly worse: number;
}

export interface Comparison {
  /** Requests left out because they are in one run only, or failed on one side. */
  readonly only_in_a: number;
  readonly only_in_b: number;
  readonly not_scored: number;
  /** Requests that both sides scored; all other fields cover only these. */
  readonly requests: number;
  readonly workflows: number;
  /** Number of requests per pair of endings, unchanged endings included; most frequent first. */
  readonly endings: readonly { readonly a: Ending; readonly b: Ending; readonly requests: number }[];
  readonly total: FlipCount;
  /** By the tier of A's top candidate. */
  readonly by_tier: readonly (FlipCount & { readonly tier: RiskTier })[];
  /** By gold workflow (null: out of scope), only workflows with flips; most flips first. */
  readonly by_workflow: readonly (FlipCount & { readonly workflow_id: string | null })[];
  readonly measures: readonly PairedMeasure[];
  /** Sorted by effect (worse first), then id. */
  readonly flips: readonly Flip[];
}

/** Requests of one workflow for which a different workflow ranked first. */
export interface ConfusionPair {
  /** null: out of scope. */
  readonly right_workflow_id: string | null;
  readonly first_workflow_id: string;
  /**
   * Requests for which the wrong workflow ranked first; if out of scope, only those that were routed or asked about.
   */
  readonly requests: number;
  /** Number of these requests that were routed to the wrong workflow. */
  readonly routed: number;
  /** Number of all requests of the right workflow, or of all out-of-scope requests. */
  readonly of: number;
}

/** Summary of an intent classifier with a reject option, by the usual metrics. */
export interface PredictionSummary {
  readonly requests: number;
  readonly out_of_scope: number;
  /**
   * The threshold among .1, .2, ... .9 with the highest Matthews correlation, where "none" is a class; null if none is
   * defined.
   */
  readonly best_threshold: number | null;
  /**
   * At that threshold: share of the in-scope requests that are right and accepted, rejected share of the out-of-scope
   * requests, and the correlation.
   */
  readonly in_scope_accuracy: number | null;
  readonly out_of_scope_recall: number | null;
  readonly matthews: number | null;
  readonly auroc: Measured;
  readonly aurc: Measured;
  /**
   * Largest share of all requests that can be answered at 90% and 95% accuracy; the threshold is chosen on the same
   * rows.
   */
  readonly coverage_at_90: number | null;
  readonly coverage_at_95: number | null;
  /** Over ten left-closed bins, as in published leaderboards; `eval show` uses right-closed bins. */
  readonly expected_calibration_error: Measured;
}
