import type { Evaluation, Measured, TierEvaluation } from "../src/domain/evaluation.js";
import type { Rate } from "../src/domain/rate.js";

/** Widest line, in characters. */
export const lineWidth = 100;

const labelWidth = 27;
const countWidth = 19;
const valueWidth = 10;
const intervalWidth = 18;
const clustersWidth = 10;

/**
 * The lines that `eval show` prints: one metric per line as `k / n`, value, 95 % interval and the number of clusters
 * behind it. Values are rounded to the nearest, interval ends outward. An arrow says which direction is better.
 * @returns lines of at most `lineWidth` characters, without line feeds
 */
export function describeEvaluation(evaluation: Evaluation): readonly string[] {
  const { retrieval } = evaluation;
  return [
    ...headLines(evaluation),
    "",
    row({
      label: "metric",
      count: "k / n",
      value: "value",
      interval: "95 % interval",
      clusters: "clusters",
      note: "target",
    }),
    rateRow("retrieval top-1 ↑", retrieval.top1),
    rateRow("retrieval recall@5 ↑", retrieval.recallAt5),
    rateRow("retrieval recall@K ↑", retrieval.recallAtK),
    measuredRow("retrieval MRR ↑", retrieval.meanReciprocalRank),
    rateRow("verified top-1 ↑", evaluation.verifiedTop1),
    ...decisionLines(evaluation),
    measuredRow("AURC (discrete) ↓", evaluation.aurc),
    measuredRow("ECE (10 bins) ↓", evaluation.expectedCalibrationError),
    measuredRow("Brier score ↓", evaluation.brier),
    measuredRow("out-of-scope AUROC ↑", evaluation.outOfScopeAuroc),
    "",
    "  Intervals: two-sided Clopper-Pearson, on effective counts where requests of a cluster correlate.",
    "  A cluster is a workflow or an out-of-scope group.",
    ...reasonLines(evaluation),
  ];
}

function headLines(evaluation: Evaluation): readonly string[] {
  const { requests, inScope, outOfScope, workflows, exampleErrors } = evaluation;
  const size = `${grouped(inScope)} in scope of ${grouped(workflows)} workflows, ${grouped(outOfScope)} out of scope`;
  return [
    `  run          ${evaluation.runSha256.slice(0, 12)}`,
    `  calibration  ${evaluation.calibrationSha256?.slice(0, 12) ?? "none: no decisions, confidence of the verifier itself"}`,
    `  fold         ${evaluation.fold}`,
    `  requests     ${grouped(requests)}: ${size}`,
    `  errors       ${grouped(exampleErrors)} requests could not be scored and are in no metric`,
  ];
}

function decisionLines(evaluation: Evaluation): readonly string[] {
  if (evaluation.calibrationSha256 === null) return [];
  return [
    rateRow("coverage ↑", evaluation.coverage),
    rateRow("  in scope ↑", evaluation.inScopeCoverage),
    rateRow("  out of scope routed ↓", evaluation.outOfScopeRouted),
    rateRow("selective risk ↓", evaluation.selectiveRisk),
    ...evaluation.tiers.flatMap(tierLines),
    rateRow("clarify precision ↑", evaluation.clarifyPrecision),
  ];
}

function tierLines(tier: TierEvaluation): readonly string[] {
  if (tier.routed.n === 0) return [`    tier ${tier.tier}: no request has a top candidate of this tier`];
  if (tier.threshold === null) return [`    tier ${tier.tier}: abstains, 0 of ${grouped(tier.routed.n)} routed`];
  const target = tier.targetRisk === null ? "" : `≤ ${tier.targetRisk}`;
  return [
    rateRow(`  tier ${tier.tier} routed ↑`, tier.routed),
    rateRow(`  tier ${tier.tier} risk ↓`, tier.selectiveRisk, target),
  ];
}

function reasonLines(evaluation: Evaluation): readonly string[] {
  if (evaluation.reasons.length === 0) return [];
  const width = Math.max(...evaluation.reasons.map((reason) => grouped(reason.count).length));
  return [
    "",
    "  decisions by reason",
    ...evaluation.reasons.map((reason) => `  ${grouped(reason.count).padStart(width)}  ${reason.reasonCode}`),
  ];
}

interface Row {
  readonly label: string;
  readonly count: string;
  readonly value: string;
  readonly interval: string;
  readonly clusters: string;
  readonly note?: string;
}

function row({ label, count, value, interval, clusters, note = "" }: Row): string {
  const cells = [
    `  ${label}`.padEnd(labelWidth),
    count.padStart(countWidth),
    value.padStart(valueWidth),
    `  ${interval}`.padEnd(intervalWidth),
    clusters.padStart(clustersWidth),
    note === "" ? "" : `  ${note}`,
  ];
  return cells.join("").trimEnd();
}

function rateRow(label: string, rate: Rate, note = ""): string {
  return row({
    label,
    count: `${grouped(rate.k)} / ${grouped(rate.n)}`,
    value: rate.estimate === null ? "undefined" : rate.estimate.toFixed(4),
    interval: rate.lower === null || rate.upper === null ? "" : `[${roundDown(rate.lower)}, ${roundUp(rate.upper)}]`,
    clusters: grouped(rate.workflows),
    note,
  });
}

function measuredRow(label: string, measured: Measured): string {
  const value = measured.value === null ? "undefined" : measured.value.toFixed(4);
  return row({ label, count: `n = ${grouped(measured.n)}`, value, interval: "", clusters: "" });
}

const scale = 1e4;
/** Slack for numbers that are a decimal up to floating-point error. */
const slack = 1e-9;

function roundDown(value: number): string {
  return (Math.floor(value * scale + slack) / scale).toFixed(4);
}

function roundUp(value: number): string {
  return (Math.ceil(value * scale - slack) / scale).toFixed(4);
}

/** Thousands separated by commas, whatever the locale. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
