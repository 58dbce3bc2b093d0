import type { Calibration, TierCalibration } from "./calibration.js";
import { type RiskTier, riskTiers } from "./choices.js";
import type { ReasonCode } from "./decision.js";
import { clopperPearson, type Interval } from "../base/numbers/clopper-pearson.js";

/**
 * Statistics that are compared. `coverage`: share of decisions in a tier that are routed, among those that only
 * thresholds can stop. `confidence`: mean confidence of routed decisions in a tier. `abstention`: share of decisions
 * that do not route. These are about requests that stand alone. `follow_ups`: share of the requests that follow another one that are routed.
 */
export const driftStatistics = ["coverage", "confidence", "abstention", "follow_ups"] as const;
export type DriftStatistic = (typeof driftStatistics)[number];

/**
 * Expected value of a statistic if the traffic resembles the CERTIFY fold; the interval covers the sampling error of
 * that fold.
 */
export interface ExpectedRate extends Interval {
  readonly statistic: DriftStatistic;
  readonly tier: RiskTier | "all";
}

/** Confidence level of every interval. */
const confidenceLevel = 0.99;

/** The part of a decision that the statistics use. */
export interface CountedDecision {
  readonly routed: boolean;
  /** Whether the request names the workflow of the one before it. */
  readonly followUp: boolean;
  readonly reasonCode: ReasonCode;
  /** null without a candidate. */
  readonly riskTier: RiskTier | null;
  readonly confidence: number;
}

const accepted: readonly ReasonCode[] = [
  "ACCEPTED_LOW_RISK",
  "ACCEPTED_MEDIUM_RISK",
  "ACCEPTED_HIGH_RISK",
  "ACCEPTED_CRITICAL_RISK",
];
/** Whether a request was routed by its score, which is what claims are about, and not by an event or as a follow-up. */
export const isRoutedByScore = (reasonCode: ReasonCode): boolean => accepted.includes(reasonCode);
/** Reasons of decisions that only thresholds can change. */
const routable: ReadonlySet<ReasonCode> = new Set([
  ...accepted,
  "BELOW_RISK_THRESHOLD",
  "AMBIGUOUS_CANDIDATES",
  "ASK_BETWEEN",
]);
/** Reasons that concern the content of a request, and not the server, the caller or a malformed request. */
const judged: ReadonlySet<ReasonCode> = new Set([
  ...routable,
  "MISSING_REQUIRED_INPUT",
  "WORKFLOW_NOT_CERTIFIED",
  "LANGUAGE_NOT_CERTIFIED",
  "NEGATED_REQUEST",
  "MULTI_ACTION_UNSUPPORTED",
  "LOW_CONFIDENCE_MISSING_INPUT",
  "NO_WORKFLOW",
]);

/** The same for requests that follow another one. */
const judgedFollowUps: ReadonlySet<ReasonCode> = new Set([
  ...judged,
  "FOLLOW_UP_ACCEPTED",
  "FOLLOW_UP_MISSING_INPUT",
  "CONTEXT_NEEDED",
  "NO_REQUEST",
]);

/** The value that a decision contributes to a statistic; null if the statistic does not cover it. */
export function driftValue(
  { statistic, tier }: Pick<ExpectedRate, "statistic" | "tier">,
  { followUp, ...decided }: CountedDecision,
): number | null {
  const { routed, reasonCode } = decided;
  if (statistic === "follow_ups") return followUp && judgedFollowUps.has(reasonCode) ? Number(routed) : null;
  return followUp ? null : valueAlone({ statistic, tier }, decided);
}

function valueAlone(
  {
    statistic,
    tier,
  }: { readonly statistic: Exclude<DriftStatistic, "follow_ups">; readonly tier: ExpectedRate["tier"] },
  { routed, reasonCode, riskTier, confidence }: Omit<CountedDecision, "followUp">,
): number | null {
  switch (statistic) {
    case "abstention":
      return judged.has(reasonCode) ? Number(!routed) : null;
    case "coverage":
      return riskTier === tier && routable.has(reasonCode) ? Number(routed) : null;
    case "confidence":
      return riskTier === tier && routed && routable.has(reasonCode) ? confidence : null;
  }
}

/** Rates expected according to the signed calibration, for each tier that routes and for all traffic. */
export function expectedRates(calibration: Calibration): readonly ExpectedRate[] {
  const tiers = riskTiers
    .flatMap((tier) => tierRates(tier, calibration.tiers[tier]))
    // Drawn routes do not show how many requests of a tier are declined.
    .filter(({ statistic }) => statistic !== "coverage" || calibration.fit.drawn_routes === undefined);
  return [...tiers, ...abstention(calibration), ...followUps(calibration)];
}

/** The interval counts each conversation once, because its requests may be routed or declined together. */
function followUps({ follow_ups: found }: Calibration): readonly ExpectedRate[] {
  if (found === undefined || found.conversations === 0) return [];
  const { requests, conversations, repeats, changes } = found;
  const routed = [repeats, changes].reduce((sum, claim) => sum + (claim.threshold === null ? 0 : claim.routed), 0);
  const rate = clopperPearson((routed / requests) * conversations, conversations, confidenceLevel);
  return [{ statistic: "follow_ups", tier: "all", ...rate }];
}

function tierRates(tier: RiskTier, signed: TierCalibration): readonly ExpectedRate[] {
  const { confidence, certify_requests, routed, design_effect, curve } = signed;
  if (confidence === null || certify_requests === 0 || routed === 0) return [];
  const coverage = clopperPearson(routed / design_effect, certify_requests / design_effect, confidenceLevel);
  return [
    { statistic: "coverage", tier, ...coverage },
    { statistic: "confidence", tier, ...meanConfidence(confidence, routed, curve, design_effect) },
  ];
}

/**
 * Interval of the mean confidence of routed requests in the certification. The curve states how many requests stay
 * above each stricter threshold, which bounds the mean from below; the upper bound is 1. Hoeffding's inequality adds
 * the sampling error.
 */
function meanConfidence(
  threshold: number,
  routed: number,
  curve: TierCalibration["curve"],
  designEffect: number,
): Interval {
  const stricter = curve
    .filter((point) => point.confidence > threshold && point.routed <= routed)
    .toSorted((a, b) => a.confidence - b.confidence);
  let mean = threshold;
  let before = threshold;
  for (const point of stricter) {
    mean += (point.confidence - before) * (point.routed / routed);
    before = point.confidence;
  }
  const error = Math.sqrt(Math.log(1 / (1 - confidenceLevel)) / (2 * (routed / designEffect)));
  return { lower: Math.max(0, mean - error), upper: 1 };
}

function abstention({ traffic, tiers }: Calibration): readonly ExpectedRate[] {
  const { coverage } = traffic.expected;
  // The file does not contain the size of the fold; this is a lower bound.
  const requests = riskTiers.reduce((sum, tier) => sum + tiers[tier].certify_requests, 0);
  if (coverage === null || requests === 0) return [];
  const { lower, upper } = clopperPearson(coverage * requests, requests, confidenceLevel);
  return [{ statistic: "abstention", tier: "all", lower: 1 - upper, upper: 1 - lower }];
}
