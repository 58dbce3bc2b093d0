import type { RiskTier } from "./choices.js";
import type { Sha256 } from "../digest/sha256.js";
import type { DecisionKind, ReasonCode } from "./decision.js";
import type { Population } from "./population.js";
import type { Rate } from "./rate.js";
import type { Fold } from "./choices.js";

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

/** Everything that the report shows of one fold of one run; `eval/evaluation-document.ts` reads and writes it. */
export interface Evaluation {
  readonly schemaVersion: 1;
  readonly runSha256: Sha256;
  /** null: metrics that need thresholds are null or empty. */
  readonly calibrationSha256: Sha256 | null;
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
  /** Every further number; absent in evaluations that were stored before there was one. */
  readonly detail?: EvaluationDetail;
}

/** Two-sided percentile interval of whole clusters drawn with replacement. */
export interface Band {
  readonly method: "cluster-bootstrap";
  readonly confidence: number;
  readonly lower: number;
  readonly upper: number;
  /** Resamples with a defined value; `dropped` had none. */
  readonly resamples: number;
  readonly dropped: number;
}

/** A number with the clusters behind it and its band; no band where the number is undefined or none was requested. */
export type Estimate = Measured & { readonly workflows: number; readonly band: Band | null };

/** Selective risk at a coverage: the threshold that reaches it is chosen from the scores alone. */
export interface RiskAtCoverage {
  readonly coverage: number;
  /** Smallest coverage that can be reached without splitting equal scores; null when it cannot be reached. */
  readonly achieved: number | null;
  readonly threshold: number | null;
  readonly risk: Rate;
}

/** Largest coverage at a risk, threshold chosen on the same rows: optimistic, never a guarantee. 0 when there is none. */
export interface CoverageAtRisk {
  readonly risk: number;
  readonly coverage: Estimate;
  readonly threshold: number | null;
}

/** False-route rate if `outOfScopeShare` of the traffic were out of scope; `upper` is one-sided at 95 %. */
export interface AdjustedRiskAt {
  readonly outOfScopeShare: number;
  readonly value: number | null;
  readonly upper: number | null;
}

/** A two-sided 95 % interval of one rate by one method; null ends where the method gives no interval. */
export interface MethodInterval {
  readonly method: "cp-neff" | "korn-graubard" | "cluster-t" | "cluster-bootstrap" | "clopper-pearson" | "wilson";
  /**
   * Assumption of the interval: the same correlation in all clusters, clusters drawn at random, many clusters with
   * errors, or independent requests.
   */
  readonly assumes: string;
  readonly lower: number | null;
  readonly upper: number | null;
}

/** How often the wrong decision was to route; each rate has its own denominator. */
export interface RiskDetail {
  /** Wrongly routed share of all requests. */
  readonly jointRisk: Rate;
  /** The two parts of the selective risk: out-of-scope and wrong-workflow share of the routed. */
  readonly outOfScopeOfRouted: Rate;
  readonly wrongWorkflowOfRouted: Rate;
  /** Wrongly routed share of the in-scope requests. */
  readonly inScopeWrong: Rate;
  /** The selective risk by every method. */
  readonly selectiveRiskIntervals: readonly MethodInterval[];
  /** Mean of the risk of each cluster with a routed request. */
  readonly macroRisk: Estimate;
  /** Smallest and largest selective risk when the routes to one workflow are left out. */
  readonly withoutOneWorkflow: { readonly lower: number; readonly upper: number } | null;
  readonly prevalenceAdjusted: readonly AdjustedRiskAt[];
}

/** Areas and operating points of the risk-coverage curve of the top candidate's confidence. */
export interface CurveDetail {
  readonly aurc: Estimate;
  readonly excessAurc: Estimate;
  readonly augrc: Estimate;
  readonly riskAtCoverage: readonly RiskAtCoverage[];
  readonly coverageAtRisk: readonly CoverageAtRisk[];
}

/** Whether the confidence of the top candidate is the probability that it is right. */
export interface CalibrationDetail {
  readonly equalWidthError: Estimate;
  readonly equalMassError: Estimate;
  readonly brier: Estimate;
  /** Natural log, probabilities clipped at 1e-15. */
  readonly logLoss: Estimate;
}

/** Telling in-scope from out-of-scope requests by the match logit of the top candidate; in scope is the positive class. */
export interface OutOfScopeDetail {
  /** Out-of-scope share of the rows compared: the area that random scores would reach for `precisionOutOfScope`. */
  readonly prevalence: number | null;
  readonly auroc: Estimate;
  readonly precisionInScope: Estimate;
  readonly precisionOutOfScope: Estimate;
  /** Accepted share of out-of-scope requests where at least 95 % of the in-scope ones are accepted. */
  readonly falsePositiveAt95: Estimate;
  /** The same for near and far out-of-scope requests apart: their mean depends on how many there are of each. */
  readonly apart: readonly {
    readonly population: Population;
    readonly auroc: Measured;
    readonly falsePositiveAt95: Measured;
    readonly routed: Rate;
  }[];
}

export interface RetrievalDepth {
  readonly k: number;
  /** Over the whole catalog. */
  readonly recall: Rate;
  /** Among the candidates that the caller may use; a gold workflow that may not be used counts as missed. */
  readonly eligibleRecall: Rate;
}

/** In-scope requests only. */
export interface RetrievalDetail {
  readonly depths: readonly RetrievalDepth[];
  readonly meanReciprocalRank: Estimate;
  readonly eligibleMeanReciprocalRank: Estimate;
}

export interface ClarificationDetail {
  /** Clarifications for the right workflow that ask for a labelled missing input, of all clarifications. */
  readonly precision: Rate;
  /** Requests answered so, of those labelled with a missing input. */
  readonly recall: Rate;
  /** Inputs asked for, of all inputs labelled as missing. */
  readonly missingInputRecall: Rate;
}

/** The first stage that failed, or the good outcome. Every request has exactly one. */
export const attributionBuckets = [
  "ended_early",
  "not_allowed",
  "retrieval_miss",
  "verifier_miss",
  "sentinel",
  "retrieval_floor",
  "input_timeout",
  "inputs_unresolved",
  "tier_disabled",
  "threshold",
  "margin",
  "wrong_question",
  "right_question",
  "correct_route",
  "out_of_scope_routed",
  "out_of_scope_asked",
  "correct_abstention",
] as const;
export type AttributionBucket = (typeof attributionBuckets)[number];

/** Requests of one bucket by decision. */
export interface AttributionRow {
  readonly bucket: AttributionBucket;
  readonly requests: number;
  readonly routed: number;
  readonly asked: number;
  readonly declined: number;
}

export interface Counterfactual {
  readonly perfect: "retriever" | "verifier" | "threshold";
  readonly coverage: Rate;
  readonly selectiveRisk: Rate;
  /** Routed to the right workflow, of the in-scope requests. */
  readonly inScopeRight: Rate;
}

/** Where requests are lost; rows sum to `requests`. */
export interface Attribution {
  readonly requests: number;
  readonly rows: readonly AttributionRow[];
  /** In-scope requests routed to a wrong workflow: they are in the bucket of the stage that failed first. */
  readonly wrongRoutes: number;
  readonly counterfactuals: readonly Counterfactual[];
}

/** The main metrics of one group of requests. */
export interface SliceEvaluation {
  /** "tier" (of the top candidate), "workflow" (gold), "population", or the name of a slice of the dataset. */
  readonly dimension: string;
  readonly value: string;
  readonly requests: number;
  readonly workflows: number;
  readonly coverage: Rate;
  readonly selectiveRisk: Rate;
  readonly jointRisk: Rate;
  readonly verifiedTop1: Rate;
  readonly recallAtK: Rate;
  readonly aurc: Measured;
  readonly equalWidthError: Measured;
  readonly brier: Measured;
}

/** Effect of one text guard alone, whether or not the policy uses it. */
export interface GuardEvaluation {
  readonly guardId: string;
  readonly reasonCode: ReasonCode;
  /** Whether the policy of the run uses it. */
  readonly enabled: boolean;
  /** Digest of the ids that it stops in any fold, ascending, as canonical JSON. */
  readonly stoppedSha256: Sha256;
  /** In-scope requests that it declines: its false rejections. */
  readonly inScopeDeclined: Rate;
  /** Out-of-scope requests that it declines. */
  readonly outOfScopeDeclined: Rate;
}

/** Every further number of an evaluation. */
export interface EvaluationDetail {
  /** Cluster-bootstrap resamples behind the bands, and their seed. 0: no bands. */
  readonly resamples: number;
  readonly seed: number;
  readonly risk: RiskDetail;
  readonly curve: CurveDetail;
  readonly calibration: CalibrationDetail;
  readonly outOfScope: OutOfScopeDetail;
  readonly retrieval: RetrievalDetail;
  readonly clarification: ClarificationDetail;
  /** null without a calibration. */
  readonly attribution: Attribution | null;
  readonly slices: readonly SliceEvaluation[];
  /** Absent where the texts are not known. */
  readonly guards?: readonly GuardEvaluation[];
}

/** The current form of an evaluation. */
export interface DetailedEvaluation extends Evaluation {
  readonly detail: EvaluationDetail;
}
