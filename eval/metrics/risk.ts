import type { Band, Measured, RiskDetail, MethodInterval } from "../../src/documents/evaluation.js";
import { anovaIcc, type ClusterCount, macroRate, clusterRatio } from "../stats/design-effect.js";
import { measured, undefinedBecause } from "../stats/measured.js";
import { prevalenceAdjustedRisk } from "../stats/prevalence-adjusted.js";
import type { Rate } from "../../src/documents/rate.js";
import { estimate, type Statistic } from "./bands.js";
import type { ClusterCounter } from "./count-clusters.js";
import { fact, type OutcomeColumns } from "./outcome-columns.js";
import { clopperPearson } from "../../src/base/numbers/clopper-pearson.js";
import { kornGraubard, wilson } from "../stats/rate.js";

/** Shares of out-of-scope traffic for which the false-route rate is shown, in addition to the declared share. */
const shownShares = [0.01, 0.05, 0.1, 0.2, 0.5] as const;

/**
 * Intra-workflow correlation of errors if every request with a candidate counts as routed, which gives more errors to
 * estimate from than the routed requests alone. In-scope requests only, because out-of-scope ones are always wrong.
 * null with fewer than two workflows.
 */
export function fullCoverageIcc(counter: ClusterCounter): number | null {
  const right = counter.has(fact.topRight);
  return anovaIcc(counter.counts({ of: counter.has(fact.inScope | fact.hasTop), event: (row) => !right(row) }));
}

export interface RiskInput {
  readonly columns: OutcomeColumns;
  readonly counter: ClusterCounter;
  /** Whether there are decisions. If not, every rate is undefined. */
  readonly decided: boolean;
  readonly icc: number | null;
  /** Share of out-of-scope traffic that the calibration declares. */
  readonly declaredShare: number | null;
  readonly macroBand: Band | null;
  readonly selectiveRiskBand: Band | null;
}

/** One rate per kind of wrong routing. */
export function riskDetail(input: RiskInput): RiskDetail {
  const { columns, counter, decided, icc, declaredShare } = input;
  const has = (bits: number) => (decided ? counter.has(bits) : () => false);
  const routed = has(fact.routed);
  const wrong = has(fact.routedWrong);
  const ofRouted = counter.counts({ of: routed, event: wrong });
  const selectiveRisk = counter.rate({ of: routed, event: wrong, icc });
  const outOfScopeRouted = counter.rate({ of: has(fact.outOfScope), event: routed });
  const inScopeRouted = counter.rate({ of: has(fact.inScope), event: routed });
  const inScopeWrong = counter.rate({ of: has(fact.inScope), event: wrong });
  return {
    joint_risk: counter.rate({ of: () => decided, event: wrong }),
    out_of_scope_of_routed: counter.rate({ of: routed, event: has(fact.outOfScope), icc }),
    wrong_workflow_of_routed: counter.rate({ of: routed, event: has(fact.inScope | fact.routedWrong), icc }),
    in_scope_wrong: inScopeWrong,
    selective_risk_intervals: intervalsByMethod(ofRouted, selectiveRisk, input.selectiveRiskBand),
    macro_risk: estimate(macroRisk(ofRouted), ofRouted.length, input.macroBand),
    without_one_workflow: withoutOneWorkflow(columns, counter),
    prevalence_adjusted: adjusted({ outOfScopeRouted, inScopeWrong, inScopeRouted }, declaredShare),
  };
}

function macroRisk(counts: readonly ClusterCount[]): Measured {
  const value = macroRate(counts);
  return value === null ? undefinedBecause("EMPTY_DENOMINATOR", 0) : measured(value, counts.length);
}

export function riskStatistics(
  columns: OutcomeColumns,
  counter: ClusterCounter,
): { readonly macroRisk: Statistic; readonly selectiveRisk: Statistic } {
  const routed = new Float64Array(columns.clusters.length);
  const wrong = new Float64Array(columns.clusters.length);
  const [isRouted, isWrong] = [counter.has(fact.routed), counter.has(fact.routedWrong)];
  for (let row = 0; row < columns.requests; row += 1) {
    const cluster = columns.cluster[row];
    if (isRouted(row)) routed[cluster] += 1;
    if (isWrong(row)) wrong[cluster] += 1;
  }
  const present = routed.map((count) => (count === 0 ? 0 : 1));
  const shares = wrong.map((count, cluster) => (count === 0 ? 0 : count / routed[cluster]));
  return {
    macroRisk: ({ sum }) => sum(shares) / sum(present),
    selectiveRisk: ({ sum }) => sum(wrong) / sum(routed),
  };
}

function adjusted(
  shares: { readonly outOfScopeRouted: Rate; readonly inScopeWrong: Rate; readonly inScopeRouted: Rate },
  declaredShare: number | null,
): RiskDetail["prevalence_adjusted"] {
  const all = new Set<number>([...shownShares, ...(declaredShare === null ? [] : [declaredShare])]);
  return [...all]
    .sort((a, b) => a - b)
    .map((share) => ({ out_of_scope_share: share, ...prevalenceAdjustedRisk(shares, share) }));
}

/** The range of the risk when any one chosen workflow is left out. Wrong routes to the same workflow are correlated. */
function withoutOneWorkflow(columns: OutcomeColumns, counter: ClusterCounter): RiskDetail["without_one_workflow"] {
  const { names, value } = columns.routedTo;
  const routed = new Float64Array(names.length);
  const wrong = new Float64Array(names.length);
  const isWrong = counter.has(fact.routedWrong);
  for (let row = 0; row < columns.requests; row += 1) {
    const workflow = value[row];
    if (workflow < 0) continue;
    routed[workflow] += 1;
    if (isWrong(row)) wrong[workflow] += 1;
  }
  const total = (counts: Float64Array) => counts.reduce((sum, count) => sum + count, 0);
  const [allRouted, allWrong] = [total(routed), total(wrong)];
  const risks = [...routed.entries()]
    .filter(([, own]) => own < allRouted)
    .map(([workflow, own]) => (allWrong - wrong[workflow]) / (allRouted - own));
  return risks.length === 0 ? null : { lower: minimum(risks), upper: -minimum(risks.map((risk) => -risk)) };
}

const minimum = (values: readonly number[]): number => values.reduce((least, value) => Math.min(least, value));

const confidence = 0.95;

/**
 * Two-sided 95% intervals of one clustered rate by every method, with a note on when to use each. The first method
 * that respects clusters is shown elsewhere too; the two that ignore them show how much clustering widens the interval.
 * @param rate  computed from these counts
 * @param band  cluster bootstrap of the same rate
 */
function intervalsByMethod(counts: readonly ClusterCount[], rate: Rate, band: Band | null): readonly MethodInterval[] {
  const { k, n } = rate;
  const korn = kornGraubard(counts, confidence);
  const ratio = clusterRatio(counts, confidence).interval;
  const none = { lower: null, upper: null };
  return [
    { method: "cp-neff", assumes: "correlation", ...(n === 0 ? none : ends(rate)) },
    { method: "korn-graubard", assumes: "random draw", ...(korn === null ? none : ends(korn)) },
    { method: "cluster-t", assumes: "many clusters", ...(ratio === null ? none : clipped(ratio)) },
    { method: "cluster-bootstrap", assumes: "many clusters", ...(band === null ? none : ends(band)) },
    {
      method: "clopper-pearson",
      assumes: "independence",
      ...(n === 0 ? none : clopperPearson(k, n, confidence)),
    },
    { method: "wilson", assumes: "independence", ...(n === 0 ? none : wilson(k, n, confidence)) },
  ];
}

type Ends = Pick<MethodInterval, "lower" | "upper">;
const ends = ({ lower, upper }: Ends): Ends => ({ lower, upper });
const clipped = ({ lower, upper }: { readonly lower: number; readonly upper: number }): Ends => ({
  lower: Math.max(0, lower),
  upper: Math.min(1, upper),
});
