import type { OutOfScopeDetail } from "../../src/documents/evaluation.js";
import type { Population } from "../../src/documents/population.js";
import { auroc, averagePrecision, falsePositiveRateAt, scoreTable } from "../stats/roc.js";
import type { Statistic } from "./bands.js";
import { banded, type ConfidenceInput } from "./confidence.js";
import { fact } from "./outcome-columns.js";

const acceptedShare = 0.95;

interface OutOfScopeInput extends ConfidenceInput {
  /** Whether there are decisions. */
  readonly decided: boolean;
}

/**
 * How well the top candidate's score separates in-scope from out-of-scope requests. Requests without a candidate are
 * left out because they can never be routed.
 */
export function outOfScopeDetail(input: OutOfScopeInput): OutOfScopeDetail {
  const scope = input.scored.scope.table;
  return {
    prevalence: scope.totalRows === 0 ? null : 1 - scope.totalEvents / scope.totalRows,
    auroc: banded(input, auroc(scope), "auroc"),
    precision_in_scope: banded(input, averagePrecision(scope, "event"), "precisionInScope"),
    precision_out_of_scope: banded(input, averagePrecision(scope, "other"), "precisionOutOfScope"),
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
  precisionInScope: ({ scope }) => averagePrecision(scope, "event").value,
  precisionOutOfScope: ({ scope }) => averagePrecision(scope, "other").value,
  falsePositiveAt95: ({ scope }) => falsePositiveRateAt(scope, acceptedShare).value,
};
