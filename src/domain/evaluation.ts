import type { RiskTier } from "./catalog.js";
import type { DecisionKind } from "./decision.js";
import type { Rate } from "./rate.js";
import type { Fold } from "./split.js";

/** One point of the risk-coverage curve, thresholds descending; coverage and risk in [0, 1]. */
export interface RiskCoveragePoint {
  readonly threshold: number;
  readonly accepted: number;
  readonly errors: number;
  readonly coverage: number;
  readonly selectiveRisk: number;
}

/** One bin of the reliability diagram, ascending. Empty bins are absent. */
export interface ReliabilityBin {
  readonly lower: number;
  readonly upper: number;
  readonly n: number;
  readonly correct: number;
  readonly meanConfidence: number;
  readonly accuracy: number;
  readonly accuracyLower: number;
  readonly accuracyUpper: number;
}

/** A number that may be undefined, with its reason. */
export type Measured =
  | { readonly value: number; readonly n: number; readonly nullReason: null }
  | { readonly value: null; readonly n: number; readonly nullReason: string };

export interface TierEvaluation {
  readonly tier: RiskTier;
  readonly routed: Rate;
  /** Wrongly routed share of the routed. */
  readonly selectiveRisk: Rate;
  readonly targetRisk: number | null;
  readonly threshold: number | null;
  readonly marginThreshold: number | null;
}

/** Everything the report shows of one fold of one run; JSON-safe, camelCase, stored as canonical JSON. */
export interface Evaluation {
  readonly schemaVersion: 1;
  readonly runSha256: string;
  /** null: metrics that need thresholds are null or empty. */
  readonly calibrationSha256: string | null;
  readonly fold: Fold | "all";
  readonly requests: number;
  readonly inScope: number;
  readonly outOfScope: number;
  readonly exampleErrors: number;
  readonly workflows: number;
  readonly retrieval: {
    readonly top1: Rate;
    readonly recallAt5: Rate;
    readonly recallAtK: Rate;
    readonly meanReciprocalRank: Measured;
  };
  /** Right first candidate after verification, in-scope requests only. */
  readonly verifiedTop1: Rate;
  readonly decisions: Readonly<Record<DecisionKind, number>>;
  readonly reasons: readonly { readonly reasonCode: string; readonly count: number }[];
  readonly coverage: Rate;
  readonly inScopeCoverage: Rate;
  readonly selectiveRisk: Rate;
  readonly outOfScopeRouted: Rate;
  readonly clarifyPrecision: Rate;
  readonly aurc: Measured;
  readonly expectedCalibrationError: Measured;
  readonly brier: Measured;
  readonly outOfScopeAuroc: Measured;
  readonly tiers: readonly TierEvaluation[];
  readonly riskCoverage: readonly RiskCoveragePoint[];
  readonly reliability: readonly ReliabilityBin[];
}
