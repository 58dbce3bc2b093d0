import { riskTiers } from "../../src/documents/choices.js";
import type { Comparison } from "../../src/documents/comparison.js";
import { type MeasureName, measureNames } from "../../src/documents/comparison.js";
import type { Evaluation } from "../../src/documents/evaluation.js";

export interface GateMeasurements {
  /** The first run or baseline, if any. */
  readonly a: Evaluation | null;
  /** The run to check. */
  readonly b: Evaluation;
  /** null without a baseline, or if either run has no thresholds and thus no decisions. */
  readonly comparison: Pick<Comparison, "total" | "measures"> | null;
}

/** A number and the ends of its interval; undefined numbers are null. */
export interface Measurement {
  readonly value: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
}

interface HasEstimate {
  readonly estimate: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
}
interface HasValue {
  readonly value: number | null;
  readonly band: { readonly lower: number; readonly upper: number } | null;
}

const rate = ({ estimate, lower, upper }: HasEstimate): Measurement => ({ value: estimate, lower, upper });
const banded = ({ value, band }: HasValue): Measurement => ({
  value,
  lower: band?.lower ?? null,
  upper: band?.upper ?? null,
});

type Lookup = (evaluation: Evaluation) => Measurement;

const undefinedMeasurement: Measurement = { value: null, lower: null, upper: null };

const lookups: Readonly<Record<string, Lookup>> = {
  coverage: (e) => rate(e.coverage),
  in_scope_coverage: (e) => rate(e.in_scope_coverage),
  selective_risk: (e) => rate(e.selective_risk),
  joint_risk: (e) => rate(e.detail.risk.joint_risk),
  out_of_scope_routed: (e) => rate(e.out_of_scope_routed),
  near_oos_routed: (e) => populationRate(e, "near_oos"),
  far_oos_routed: (e) => populationRate(e, "far_oos"),
  in_scope_wrong: (e) => rate(e.detail.risk.in_scope_wrong),
  verified_top1: (e) => rate(e.verified_top1),
  recall_at_1: (e) => rate(e.retrieval.top1),
  recall_at_5: (e) => rate(e.retrieval.recall_at_5),
  recall_at_k: (e) => rate(e.retrieval.recall_at_k),
  mrr: (e) => banded(e.detail.retrieval.mean_reciprocal_rank),
  clarify_precision: (e) => rate(e.detail.clarification.precision),
  clarify_recall: (e) => rate(e.detail.clarification.recall),
  missing_input_recall: (e) => rate(e.detail.clarification.missing_input_recall),
  aurc: (e) => banded(e.detail.curve.aurc),
  augrc: (e) => banded(e.detail.curve.augrc),
  ece: (e) => banded(e.detail.calibration.equal_width_error),
  brier: (e) => banded(e.detail.calibration.brier),
  log_loss: (e) => banded(e.detail.calibration.log_loss),
  auroc: (e) => banded(e.detail.out_of_scope.auroc),
  fpr95: (e) => banded(e.detail.out_of_scope.false_positive_at_95),
  ...Object.fromEntries(
    riskTiers.flatMap((tier): readonly (readonly [string, Lookup])[] => [
      [`${tier}.coverage`, (e) => tierRate(e, tier, "routed")],
      [`${tier}.selective_risk`, (e) => tierRate(e, tier, "selective_risk")],
    ]),
  ),
};

/** Counts that only a comparison of two runs has. */
const flipCounts = { flips: "flips", worse_flips: "worse", better_flips: "better" } as const;
type FlipMetric = keyof typeof flipCounts;
const isFlipMetric = (metric: string): metric is FlipMetric => Object.hasOwn(flipCounts, metric);

/** Paired differences, the run minus its baseline, e.g. `coverage_change`. */
const changeSuffix = "_change";
const changeNames: ReadonlyMap<string, MeasureName> = new Map(
  measureNames.map((name) => [`${name}${changeSuffix}`, name]),
);

/** Every number that a gate can use. */
export const gateMetrics: readonly string[] = [
  ...Object.keys(lookups),
  ...Object.keys(flipCounts),
  ...changeNames.keys(),
];

/** Whether a metric already compares two runs, so that its bar is a plain number. */
export const comparesRuns = (metric: string): boolean => isFlipMetric(metric) || changeNames.has(metric);

/** Whether a metric is a count and has no interval. */
export const hasNoInterval = isFlipMetric;

/** A metric of one side. Metrics of the comparison itself are the same for both sides. */
export function measurementOf(metric: string, of: Evaluation, { comparison }: GateMeasurements): Measurement {
  if (isFlipMetric(metric)) return { ...undefinedMeasurement, value: comparison?.total[flipCounts[metric]] ?? null };
  const change = changeNames.get(metric);
  if (change === undefined) return lookups[metric]?.(of) ?? undefinedMeasurement;
  return changeMeasurement(change, comparison);
}

/** The paired difference of a measure, with its band. */
function changeMeasurement(change: MeasureName, comparison: GateMeasurements["comparison"]): Measurement {
  const measure = comparison?.measures.find(({ name }) => name === change);
  if (measure === undefined) return undefinedMeasurement;
  const { difference, band } = measure;
  return { value: difference.value, lower: band?.lower ?? null, upper: band?.upper ?? null };
}

function populationRate(evaluation: Evaluation, population: "near_oos" | "far_oos"): Measurement {
  const found = evaluation.detail.out_of_scope.apart.find((each) => each.population === population);
  return found === undefined ? undefinedMeasurement : rate(found.routed);
}

function tierRate(evaluation: Evaluation, tier: string, which: "routed" | "selective_risk"): Measurement {
  const found = evaluation.tiers.find((each) => each.tier === tier);
  return found === undefined ? undefinedMeasurement : rate(found[which]);
}
