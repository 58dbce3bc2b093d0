import type { OutOfScopeDetail } from "../../src/domain/evaluation.js";
import { auroc, averagePrecision, falsePositiveRateAt } from "../../src/stats/roc.js";
import type { Statistic } from "./bands.js";
import { banded, type ConfidenceInput } from "./confidence.js";

const acceptedShare = 0.95;

/**
 * How well the match logit of the top candidate tells in-scope from out-of-scope requests. Requests without a candidate
 * are left out: they can never be routed.
 */
export function outOfScopeDetail(input: ConfidenceInput): OutOfScopeDetail {
  const scope = input.scored.scope.table;
  return {
    prevalence: scope.totalRows === 0 ? null : 1 - scope.totalEvents / scope.totalRows,
    auroc: banded(input, auroc(scope), "auroc"),
    precisionInScope: banded(input, averagePrecision(scope, "event"), "precisionInScope"),
    precisionOutOfScope: banded(input, averagePrecision(scope, "other"), "precisionOutOfScope"),
    falsePositiveAt95: banded(input, falsePositiveRateAt(scope, acceptedShare), "falsePositiveAt95"),
  };
}

/** What is resampled for the bands of `outOfScopeDetail`. */
export const outOfScopeStatistics: Readonly<Record<string, Statistic>> = {
  auroc: ({ scope }) => auroc(scope).value,
  precisionInScope: ({ scope }) => averagePrecision(scope, "event").value,
  precisionOutOfScope: ({ scope }) => averagePrecision(scope, "other").value,
  falsePositiveAt95: ({ scope }) => falsePositiveRateAt(scope, acceptedShare).value,
};
