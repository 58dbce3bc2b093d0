import { riskTiers } from "../../src/documents/choices.js";
import type { SliceEvaluation } from "../../src/documents/evaluation.js";
import { populations } from "../../src/documents/population.js";
import { expectedCalibrationError } from "../stats/reliability.js";
import { countingOrder } from "../stats/score-resampler.js";
import { scoreTable } from "../stats/roc.js";
import type { ClusterCounter, Holds } from "./count-clusters.js";
import { fact, type OutcomeColumns, type SliceColumn } from "./outcome-columns.js";

/** Maximum number of values per dimension; the most frequent ones are shown. */
const mostValues = 500;
const usualOrder: readonly string[] = [...riskTiers, ...populations];

export interface SlicesInput {
  readonly columns: OutcomeColumns;
  readonly counter: ClusterCounter;
  readonly decided: boolean;
  /** Correlation of errors within a workflow at full coverage; see `fullCoverageIcc`. */
  readonly icc: number | null;
}

/**
 * The main metrics per group of requests: by population, tier of the top candidate, gold workflow, and each slice of
 * the dataset. Groups of one dimension do not overlap; requests without a value are in no group.
 */
export function sliceEvaluations(input: SlicesInput): readonly SliceEvaluation[] {
  const { population, tier, workflow, slices } = input.columns;
  const named = [...slices].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...dimension(input, "population", population),
    ...dimension(input, "tier", tier),
    ...named.flatMap(([name, column]) => dimension(input, name, column)),
    ...dimension(input, "workflow", workflow),
  ];
}

function dimension(input: SlicesInput, name: string, { names, value }: SliceColumn): readonly SliceEvaluation[] {
  const order = countingOrder(
    value.map((index) => index + 1),
    names.length + 1,
  );
  const groups: { readonly value: string; readonly rows: Uint32Array }[] = [];
  for (let from = 0; from < order.length; ) {
    const index = value[order[from]];
    let to = from + 1;
    while (to < order.length && value[order[to]] === index) to += 1;
    if (index >= 0) groups.push({ value: names[index] ?? "", rows: order.subarray(from, to) });
    from = to;
  }
  return groups
    .sort((a, b) => b.rows.length - a.rows.length || (a.value < b.value ? -1 : 1))
    .slice(0, mostValues)
    .sort((a, b) => inUsualOrder(a.value, b.value))
    .map((group) => ({
      dimension: name,
      ...evaluateSlice(name === "workflow" ? { ...input, icc: null } : input, group),
    }));
}

/** Sorts tiers by ascending risk, populations from seen to far, and everything else by name. */
function inUsualOrder(a: string, b: string): number {
  const place = (value: string): number => usualOrder.indexOf(value);
  return place(a) - place(b) || (a < b ? -1 : 1);
}

function evaluateSlice(
  { columns, counter, decided, icc }: SlicesInput,
  { value, rows }: { readonly value: string; readonly rows: Uint32Array },
): Omit<SliceEvaluation, "dimension"> {
  const has = (bits: number): Holds => counter.has(bits);
  const isRight = has(fact.topRight);
  const all: Holds = () => decided;
  const scored = rows.filter(has(fact.hasTop));
  const stated = scoreTable(
    Float64Array.from(scored, (row) => columns.confidence[row]),
    Uint8Array.from(scored, (row) => Number(isRight(row))),
  );
  return {
    value,
    requests: rows.length,
    workflows: new Set(Int32Array.from(rows, (row) => columns.cluster[row])).size,
    coverage: counter.rate({ rows, of: all, event: has(fact.routed) }),
    selective_risk: counter.risk({ rows, of: has(fact.routed), event: has(fact.routedWrong), icc }),
    joint_risk: counter.rate({ rows, of: all, event: has(fact.routedWrong) }),
    verified_top1: counter.rate({ rows, of: has(fact.inScope), event: has(fact.topRight) }),
    equal_width_error: expectedCalibrationError(stated),
  };
}
