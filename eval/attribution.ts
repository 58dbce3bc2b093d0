import { identityCurve } from "../src/router/policy/calibrator-curve.js";
import { type AttributionBucket, attributionBuckets } from "../src/documents/choices.js";
import type { Decision, ReasonCode, ScoredCandidate } from "../src/documents/decision.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { decide, declineBeforeScoring, type DecisionThresholds } from "../src/router/policy/decide.js";
import { type RecordOutcome, fact, type OutcomeColumns } from "./metrics/outcome-columns.js";
import type { Attribution, Counterfactual } from "../src/documents/evaluation.js";
import type { ClusterCounter } from "./metrics/count-clusters.js";

/**
 * The first stage that lost a request, or its correct outcome: exactly one bucket per request. An in-scope request that
 * was routed to a wrong workflow is in the bucket of the stage that lost the right one.
 *
 * @param outcome  must contain a decision
 * @param thresholds  the thresholds that produced the decision
 * @param topK  number of candidates that the verifier saw; a gold workflow that ranks within it but is not a candidate
 *   was removed by authorisation or policy, not by the retriever
 */
export function attribute(
  outcome: RecordOutcome,
  decision: Decision,
  thresholds: Pick<DecisionThresholds, "tiers">,
  topK: number,
): AttributionBucket {
  if (!outcome.inScope) return outOfScopeBucket(decision);
  return lostBeforeVerification(outcome.record, topK) ?? afterRetrieval(outcome, decision, thresholds);
}

function outOfScopeBucket(decision: Decision): AttributionBucket {
  if (decision.decision === "ROUTE") return "out_of_scope_routed";
  return decision.decision === "CLARIFY" ? "out_of_scope_asked" : "correct_abstention";
}

function lostBeforeVerification(record: ScoredRecord, topK: number): AttributionBucket | null {
  if (record.early_reason !== null) {
    return record.early_reason === "NO_ELIGIBLE_WORKFLOW" ? "not_allowed" : "ended_early";
  }
  const gold = record.candidates.find((candidate) => candidate.workflow_id === record.workflow_id);
  if (gold !== undefined) return gold.eligible ? null : "not_allowed";
  return record.gold_rank !== null && record.gold_rank <= topK ? "not_allowed" : "retrieval_miss";
}

/** The stage that lost a request whose right workflow ranked first, by reason code. */
const lostBy: Partial<Record<ReasonCode, AttributionBucket>> = {
  BETTER_MATCH_NOT_ALLOWED: "ineligible_competitor",
  LANGUAGE_NOT_CERTIFIED: "other_language",
  NEGATED_REQUEST: "not_one_wish",
  MULTI_ACTION_UNSUPPORTED: "not_one_wish",
  NO_WORKFLOW: "retrieval_floor",
  INPUT_EXTRACTION_TIMEOUT: "input_timeout",
  LOW_CONFIDENCE_MISSING_INPUT: "inputs_unresolved",
  AMBIGUOUS_CANDIDATES: "margin",
  WORKFLOW_NOT_CERTIFIED: "tier_disabled",
};

function afterRetrieval(
  outcome: RecordOutcome,
  decision: Decision,
  { tiers }: Pick<DecisionThresholds, "tiers">,
): AttributionBucket {
  if (!outcome.topIsRight) return "verifier_miss";
  if (decision.decision === "ROUTE") return "correct_route";
  if (decision.decision === "CLARIFY") {
    return asksForMissingInput(outcome.record, decision) ? "right_question" : "wrong_question";
  }
  const gate = lostBy[decision.reason_code];
  if (gate !== undefined) return gate;
  const tier = outcome.top === null ? null : tiers[outcome.top.risk_tier];
  return tier?.confidence === null ? "tier_disabled" : "threshold";
}

/** Whether at least one requested input is labelled as missing; true if missing inputs are not labelled. */
export function asksForMissingInput(record: ScoredRecord, decision: Decision): boolean {
  const expected = record.expected_missing;
  return expected === null || decision.missing_inputs.some((name) => expected.includes(name));
}

const certain = { mismatch: -50, needs_input: 0, executable: 0 } as const;

/**
 * The decision under a perfect verifier: certain of the right candidate and certain that no other matches. Declines if
 * there is no right candidate or the caller may not use it.
 * @param decision  the actual decision; returned unchanged if no candidate was scored
 */
export function withPerfectVerifier(
  record: ScoredRecord,
  decision: Decision,
  thresholds: DecisionThresholds,
): Decision {
  if (record.early_reason !== null) return decision;
  const right = record.candidates.find((candidate) => candidate.workflow_id === record.workflow_id);
  if (right?.eligible !== true) return declineBeforeScoring("NO_WORKFLOW");
  const certainly: ScoredCandidate = {
    workflow_id: right.workflow_id,
    risk_tier: right.risk_tier,
    eligible: true,
    retrieval_score: Math.max(...record.candidates.map((candidate) => candidate.retrieval_score)),
    logits: certain,
    missing_inputs: right.missing_inputs,
    input_timeout: right.input_timeout,
  };
  return decide({ ...record, candidates: [certainly] }, { ...thresholds, calibrator: identityCurve });
}

const perfections = {
  retriever: { routed: fact.retrieverRouted, wrong: fact.retrieverWrong },
  verifier: { routed: fact.verifierRouted, wrong: fact.verifierWrong },
  threshold: { routed: fact.thresholdRouted, wrong: null },
} as const;

/**
 * Requests by bucket and decision, and the results if one stage were perfect. The columns must come from decided
 * outcomes.
 * @param icc  correlation of errors within a workflow at full coverage; see `fullCoverageIcc`
 */
export function attributionTable(columns: OutcomeColumns, counter: ClusterCounter, icc: number | null): Attribution {
  const rows = attributionBuckets.map((bucket) => ({ bucket, requests: 0, routed: 0, asked: 0, declined: 0 }));
  const [routed, asked] = [counter.has(fact.routed), counter.has(fact.asked)];
  const wrongRoute = counter.has(fact.inScope | fact.routedWrong);
  let wrongRoutes = 0;
  for (let row = 0; row < columns.requests; row += 1) {
    const counts = rows[columns.bucket[row]];
    if (counts === undefined) continue;
    counts.requests += 1;
    if (routed(row)) counts.routed += 1;
    else if (asked(row)) counts.asked += 1;
    else counts.declined += 1;
    if (wrongRoute(row)) wrongRoutes += 1;
  }
  return {
    requests: columns.requests,
    rows,
    wrong_routes: wrongRoutes,
    counterfactuals: (["retriever", "verifier", "threshold"] as const).map((perfect) =>
      counterfactual(counter, perfect, icc),
    ),
  };
}

function counterfactual(
  counter: ClusterCounter,
  perfect: keyof typeof perfections,
  icc: number | null,
): Counterfactual {
  const bits = perfections[perfect];
  const routed = counter.has(bits.routed);
  const wrong = bits.wrong === null ? () => false : counter.has(bits.wrong);
  return {
    perfect,
    coverage: counter.rate({ of: () => true, event: routed }),
    selective_risk: counter.risk({ of: routed, event: wrong, icc }),
    in_scope_right: counter.rate({ of: counter.has(fact.inScope), event: (row) => routed(row) && !wrong(row) }),
  };
}
