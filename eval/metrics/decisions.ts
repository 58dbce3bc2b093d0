import { type RiskTier, riskTiers } from "../../src/documents/choices.js";
import { reasonCodes } from "../../src/documents/decision.js";
import type {
  ClarificationDetail,
  Evaluation,
  TierEvaluation,
  OutOfScopeDetail,
} from "../../src/documents/evaluation.js";
import { rateOfCounts } from "../stats/rate.js";
import type { ClusterCounter } from "./count-clusters.js";
import { fact, type OutcomeColumns } from "./outcome-columns.js";
import type { EvaluatedThresholds } from "./evaluated-thresholds.js";
import type { Population } from "../../src/documents/population.js";
import { auroc, falsePositiveRateAt, scoreTable } from "../stats/roc.js";
import type { Statistic } from "./bands.js";
import { banded, type ConfidenceInput } from "./confidence.js";

type DecisionMetrics = Pick<
  Evaluation,
  "decisions" | "reasons" | "coverage" | "in_scope_coverage" | "selective_risk" | "out_of_scope_routed" | "tiers"
>;

interface DecisionsInput {
  readonly columns: OutcomeColumns;
  readonly counter: ClusterCounter;
  /** null: nothing is decided. Counts are then 0, rates are undefined, and there are no tiers. */
  readonly calibration: EvaluatedThresholds | null;
  /** Correlation of errors within a workflow at full coverage; see `fullCoverageIcc`. */
  readonly icc: number | null;
}

/**
 * Metrics of the calibrated decisions: coverage (routed share of all requests), selective risk (wrong share of the
 * routed requests, out-of-scope ones included), and their parts.
 */
export function decisionMetrics({ columns, counter, calibration, icc }: DecisionsInput): DecisionMetrics {
  const has = (bits: number) => counter.has(bits);
  const decided = calibration === null ? () => false : () => true;
  const among = (bits: number) => (calibration === null ? () => false : has(bits));
  return {
    decisions: countKinds(columns),
    reasons: countReasons(columns),
    coverage: counter.rate({ of: decided, event: has(fact.routed) }),
    in_scope_coverage: counter.rate({ of: among(fact.inScope), event: has(fact.routed) }),
    selective_risk: counter.risk({ of: has(fact.routed), event: has(fact.routedWrong), icc }),
    out_of_scope_routed: counter.rate({ of: among(fact.outOfScope), event: has(fact.routed) }),
    tiers:
      calibration === null
        ? []
        : riskTiers.map((tier) => tierEvaluation({ columns, counter, calibration, icc }, tier, calibration)),
  };
}

/** Precision of the clarifying questions, and recall of the questions that were needed. */
export function clarification(columns: OutcomeColumns, counter: ClusterCounter, decided: boolean): ClarificationDetail {
  const needed = decided ? counter.has(fact.inputMissing | fact.inScope) : () => false;
  const inputs = counter.weighted(
    (row) => (needed(row) ? columns.inputsMissing[row] : 0),
    (row) => columns.inputsAsked[row],
  );
  return {
    precision: counter.rate({ of: counter.has(fact.asked), event: counter.has(fact.askedRight) }),
    recall: counter.rate({ of: needed, event: counter.has(fact.askedRight) }),
    missing_input_recall: rateOfCounts(inputs),
  };
}

function countKinds(columns: OutcomeColumns): Evaluation["decisions"] {
  const counts = { ROUTE: 0, CLARIFY: 0, LLM_REQUIRED: 0 };
  for (const [code, count] of columns.reasons) counts[reasonCodes[code]] += count;
  return counts;
}

/** Counts reason codes, most frequent first, then by code. */
function countReasons(columns: OutcomeColumns): Evaluation["reasons"] {
  return [...columns.reasons]
    .map(([reason_code, count]) => ({ reason_code, count }))
    .sort((a, b) => b.count - a.count || (a.reason_code < b.reason_code ? -1 : 1));
}

/** The tier of a request is that of its top candidate, which is known at serving time. */
function tierEvaluation(input: DecisionsInput, tier: RiskTier, calibration: EvaluatedThresholds): TierEvaluation {
  const { columns, counter, icc } = input;
  const index = columns.tier.names.indexOf(tier);
  const ofTier = (row: number) => index >= 0 && columns.tier.value[row] === index;
  const routed = counter.has(fact.routed);
  const { target_risk, confidence, margin } = calibration.tiers[tier];
  return {
    tier,
    routed: counter.rate({ of: ofTier, event: routed }),
    selective_risk: counter.risk({
      of: (row) => ofTier(row) && routed(row),
      event: counter.has(fact.routedWrong),
      icc,
    }),
    target_risk,
    threshold: confidence,
    margin_threshold: margin,
  };
}

const acceptedShare = 0.95;

interface OutOfScopeInput extends ConfidenceInput {
  readonly decided: boolean;
}

/**
 * How well the top candidate's score separates in-scope from out-of-scope requests. Requests without a candidate are
 * left out because they can never be routed.
 */
export function outOfScopeDetail(input: OutOfScopeInput): OutOfScopeDetail {
  const scope = input.scored.scope.table;
  return {
    auroc: banded(input, auroc(scope), "auroc"),
    false_positive_at_95: banded(input, falsePositiveRateAt(scope, acceptedShare), "falsePositiveAt95"),
    apart: (["near_oos", "far_oos"] as const).map((population) => ({ population, ...against(input, population) })),
  };
}

/** Compares the in-scope requests with the out-of-scope requests of one population. */
function against({ columns, counter, scored, decided }: OutOfScopeInput, population: Population) {
  const { names, value } = columns.population;
  const index = names.indexOf(population);
  const inScope = counter.has(fact.inScope);
  const ofPopulation = (row: number) => index >= 0 && value[row] === index;
  const rows = scored.rows.filter((row) => inScope(row) || ofPopulation(row));
  const scope = scoreTable(
    Float64Array.from(rows, (row) => columns.separation[row]),
    Uint8Array.from(rows, (row) => Number(inScope(row))),
  );
  return {
    auroc: auroc(scope),
    false_positive_at_95: falsePositiveRateAt(scope, acceptedShare),
    routed: counter.rate({ of: (row) => decided && ofPopulation(row), event: counter.has(fact.routed) }),
  };
}

/** Resampled statistics: the bands of `outOfScopeDetail` come from these. */
export const outOfScopeStatistics: Readonly<Record<string, Statistic>> = {
  auroc: ({ scope }) => auroc(scope).value,
  falsePositiveAt95: ({ scope }) => falsePositiveRateAt(scope, acceptedShare).value,
};
