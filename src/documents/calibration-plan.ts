import type { Claim, NextStep } from "./calibration.js";
import type { ReasonCode } from "./decision.js";

/** Claims that can be planned. */
export const plannedClaimKinds = ["new-workflows", "fixed-catalog"] as const;
export type PlannedClaimKind = (typeof plannedClaimKinds)[number];

/** Targets of a plan, strictest first. */
export const plannedTargets: readonly number[] = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3];

/** Probability from which a plan reports that a target certifies. */
export const likely = 0.8;

/** What a target is missing. */
export type MissingEvidence =
  | { readonly kind: "nothing" }
  /** With this much more data it certifies with probability 0.80. */
  | ({ readonly kind: "more" } & DataSize)
  /** The same with out-of-scope requests alone; only where their share in service is declared. */
  | { readonly kind: "more_out_of_scope"; readonly out_of_scope: number }
  /** This multiple of the present data would not suffice. */
  | { readonly kind: "beyond"; readonly factor: number }
  /** The labels do not show whether more data would help. */
  | { readonly kind: "not_known" }
  /** With any amount of data, the labels show too many errors at every threshold. */
  | { readonly kind: "out_of_reach" };

/** Planned result of one target. Shares are in [0, 1]. */
export interface PlannedTarget {
  readonly target: number;
  /** Probability that it certifies with the present data. */
  readonly probability: number;
  /** Expected routed share of all requests where it certifies; null where it never does. */
  readonly coverage: number | null;
  readonly missing: MissingEvidence;
}

/** Plan for one claim. */
export interface PlannedClaim {
  readonly claim: PlannedClaimKind;
  readonly population: Claim["population"];
  /** Data that certification has now, and whether another split is needed first. */
  readonly present: DataSize;
  readonly needs_split: "workflow" | "request" | null;
  /** Why no plan is possible, and what to do first; null when one is. */
  readonly unknown: string | null;
  /** Strictest first; empty where no plan is possible. */
  readonly targets: readonly PlannedTarget[];
  /** The strictest target that certifies with probability 0.80 or more and routes a tenth of the requests; null: none. */
  readonly advised: number | null;
}

/** Requests that no threshold routes, and why. */
export interface Unroutable {
  readonly requests: number;
  readonly reason: ReasonCode;
}

/** Requests that a forbidden candidate stops, and the effect of the policy line that would let them pass. */
export interface StoppedByIneligible {
  readonly requests: number;
  readonly of: number;
  /** Requests with another candidate, and those for which that candidate would be wrong. */
  readonly judged: number;
  readonly wrong: number;
}

/** A plan: the claims that the data can support, before certification. */
export interface CalibrationPlan {
  readonly schema_version: 1;
  readonly delta: number;
  readonly seed: number;
  /** Number of simulated certifications behind each probability. */
  readonly samples: number;
  /** Labelled requests that were read. */
  readonly labelled: DataSize & { readonly wrong: number };
  readonly claims: readonly PlannedClaim[];
  readonly unroutable: readonly Unroutable[];
  /** null unless forbidden candidates stop at least a tenth of the requests. */
  readonly ineligible_competitors: StoppedByIneligible | null;
  readonly notes: readonly string[];
  /** What the latest calibration of the run says of its next target; absent where there is none. */
  readonly next_step?: NextStep;
}

/** How much data a certification has, or needs. */
export interface DataSize {
  readonly workflows: number;
  /** All requests. */
  readonly requests: number;
  readonly out_of_scope: number;
}
