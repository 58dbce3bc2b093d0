import type { Calibration } from "../../src/domain/calibration.js";
import { type RiskTier, riskTiers } from "../../src/domain/catalog.js";
import { type Decision, type DecisionKind, decisionKinds } from "../../src/domain/decision.js";
import type { Evaluation, TierEvaluation } from "../../src/domain/evaluation.js";
import type { Rate } from "../../src/domain/rate.js";
import { rateOf } from "../../src/stats/rate.js";
import type { RecordOutcome } from "./record-outcome.js";

/** An outcome with the decision of a calibration. */
type DecidedOutcome = RecordOutcome & { readonly decision: Decision };

type DecisionMetrics = Pick<
  Evaluation,
  | "decisions"
  | "reasons"
  | "coverage"
  | "inScopeCoverage"
  | "selectiveRisk"
  | "outOfScopeRouted"
  | "clarifyPrecision"
  | "tiers"
>;

const kindIs = (kind: DecisionKind) => (outcome: DecidedOutcome) => outcome.decision.decision === kind;
const isRouted = kindIs("ROUTE");
const isWrong = ({ decision, record }: DecidedOutcome) => decision.workflowId !== record.workflowId;

/**
 * What the calibrated decisions do: coverage (routed share), selective risk (wrong share of the routed, out-of-scope
 * included), and their parts. Without a calibration no outcome is decided: counts are 0, rates are null, no tiers.
 */
export function decisionMetrics(outcomes: readonly RecordOutcome[], calibration: Calibration | null): DecisionMetrics {
  const decided = outcomes.filter((o): o is DecidedOutcome => o.decision !== null);
  const inScope = decided.filter((o) => o.inScope);
  const outOfScope = decided.filter((o) => !o.inScope);
  return {
    decisions: countKinds(decided),
    reasons: countReasons(decided),
    coverage: rate(decided, isRouted),
    inScopeCoverage: rate(inScope, isRouted),
    selectiveRisk: rate(decided.filter(isRouted), isWrong),
    outOfScopeRouted: rate(outOfScope, isRouted),
    clarifyPrecision: rate(decided.filter(kindIs("CLARIFY")), isRightClarification),
    tiers: calibration === null ? [] : riskTiers.map((tier) => tierEvaluation(decided, tier, calibration)),
  };
}

function rate(outcomes: readonly DecidedOutcome[], event: (outcome: DecidedOutcome) => boolean): Rate {
  return rateOf(outcomes.map((outcome) => ({ cluster: outcome.record.cluster, event: event(outcome) })));
}

/** Right workflow and, where missing inputs are labelled, at least one of them asked for. */
function isRightClarification(outcome: DecidedOutcome): boolean {
  if (isWrong(outcome)) return false;
  const expected = outcome.record.expectedMissing;
  return expected === null || outcome.decision.missingInputs.some((name) => expected.includes(name));
}

function countKinds(decided: readonly DecidedOutcome[]): Readonly<Record<DecisionKind, number>> {
  const counts: Record<DecisionKind, number> = { ROUTE: 0, CLARIFY: 0, LLM_REQUIRED: 0 };
  for (const kind of decisionKinds) counts[kind] = decided.filter(kindIs(kind)).length;
  return counts;
}

/** Most frequent first, then by code. */
function countReasons(decided: readonly DecidedOutcome[]): Evaluation["reasons"] {
  const counts = new Map<string, number>();
  for (const { decision } of decided) counts.set(decision.reasonCode, (counts.get(decision.reasonCode) ?? 0) + 1);
  return [...counts]
    .map(([reasonCode, count]) => ({ reasonCode, count }))
    .sort((a, b) => b.count - a.count || (a.reasonCode < b.reasonCode ? -1 : 1));
}

/** The tier of a request is that of its top candidate: known when it is served. */
function tierEvaluation(decided: readonly DecidedOutcome[], tier: RiskTier, calibration: Calibration): TierEvaluation {
  const ofTier = decided.filter((o) => o.decision.riskTier === tier);
  const { targetRisk, confidence, margin } = calibration.tiers[tier];
  return {
    tier,
    routed: rate(ofTier, isRouted),
    selectiveRisk: rate(ofTier.filter(isRouted), isWrong),
    targetRisk,
    threshold: confidence,
    marginThreshold: margin,
  };
}
