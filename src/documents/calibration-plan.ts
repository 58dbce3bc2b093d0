import type { Claim, NextStep } from "./calibration.js";
import type { ReasonCode } from "./decision.js";

import type { ClaimKind } from "./choices.js";

/** Targets of a plan, strictest first. */
export const plannedTargets: readonly number[] = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3];

/** Probability at which a plan regards a target as likely to be certified. */
export const likely = 0.8;

/** What is missing to certify a target. */
export type MissingData =
  | { readonly kind: "nothing" }
  /** With this much more data, the target certifies with this probability: 0.80, or else the largest, at least 0.50. */
  | ({ readonly kind: "more"; readonly probability: number } & DataSize)
  /** The same with out-of-scope requests alone. Only if their share in production is declared. */
  | { readonly kind: "more_out_of_scope"; readonly out_of_scope: number }
  /** Nothing was searched. */
  | { readonly kind: "not_known" }
  /** Even with ten times the data, the target certifies with less than an even chance: at most this probability. */
  | { readonly kind: "out_of_reach"; readonly probability: number };

/** Planned result for one target. Shares are in [0, 1]. */
export interface PlannedTarget {
  readonly target: number;
  /** Probability that the target certifies with the present data. */
  readonly probability: number;
  /** Expected share of requests that are routed if the target certifies; null if it never does. */
  readonly coverage: number | null;
  readonly missing: MissingData;
}

export interface PlannedClaim {
  readonly claim: ClaimKind;
  readonly population: Claim["population"];
  /** Data available to certification, and whether another split is needed first. */
  readonly present: DataSize;
  readonly needs_split: "workflow" | "request" | null;
  /** Why no plan is possible, and what to do first; null if a plan is possible. */
  readonly unknown: string | null;
  /** Strictest first; empty if no plan is possible. */
  readonly targets: readonly PlannedTarget[];
  /**
   * The strictest target that certifies with probability 0.80 or more and routes at least a tenth of the requests; null
   * if there is none.
   */
  readonly advised: number | null;
}

/** Requests that are not routed at any threshold, and why. */
export interface Unroutable {
  readonly requests: number;
  readonly reason: ReasonCode;
}

/**
 * Requests declined because of an ineligible competitor, and the effect of the policy setting that would route them.
 */
export interface StoppedByIneligible {
  readonly requests: number;
  readonly of: number;
  /** Requests with an eligible candidate, and those for which that candidate would be wrong. */
  readonly judged: number;
  readonly wrong: number;
}

/** The claims that the data can support, estimated before certification. */
export interface CalibrationPlan {
  readonly schema_version: 1;
  readonly delta: number;
  readonly seed: number;
  /** Number of simulated certifications behind each probability. */
  readonly samples: number;
  /** Labelled requests that the plan used. */
  readonly labelled: DataSize & { readonly wrong: number };
  readonly claims: readonly PlannedClaim[];
  readonly unroutable: readonly Unroutable[];
  /** null unless ineligible competitors stop at least a tenth of the requests. */
  readonly ineligible_competitors: StoppedByIneligible | null;
  readonly notes: readonly string[];
  /** What the latest calibration of the run says of its next target; absent where there is none. */
  readonly next_step?: NextStep;
}

/** Amount of data that a certification has or needs. */
export interface DataSize {
  readonly workflows: number;
  readonly requests: number;
  readonly out_of_scope: number;
}
