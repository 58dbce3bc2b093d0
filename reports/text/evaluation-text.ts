import {
  counted,
  formatCount,
  formatFixedPercent,
  formatFixedPercentDown,
  formatFixedPercentUp,
  formatPercent,
  formatShare,
  formatValue,
} from "../../src/documents/number-text.js";
import type {
  Attribution,
  Evaluation,
  EvaluationDetail,
  GuardEvaluation,
  RetrievalDetail,
  RiskDetail,
  SliceEvaluation,
  TierEvaluation,
} from "../../src/documents/evaluation.js";
import { measuredRow, rateRow, row, shareIntervalText } from "./evaluation-rows.js";

interface DescribeOptions {
  /** Prints every number instead of a summary of one screen. */
  readonly all?: boolean;
}

/**
 * Output lines of `eval show`: one metric per line as `k / n`, value, 95 % interval and number of clusters. Values are
 * rounded to nearest, interval ends outward. An arrow marks the better direction.
 * @returns  lines of at most 100 characters, without line feeds
 */
export function describeEvaluation(evaluation: Evaluation, options: DescribeOptions = {}): readonly string[] {
  const { retrieval, detail } = evaluation;
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
    rateRow("retrieval recall@5 ↑", retrieval.recall_at_5),
    rateRow("retrieval recall@K ↑", retrieval.recall_at_k),
    measuredRow("retrieval MRR ↑", detail.retrieval.mean_reciprocal_rank),
    rateRow("verified top-1 ↑", evaluation.verified_top1),
    ...decisionLines(evaluation),
    ...confidenceLines(detail),
    "",
    "  Intervals of rates: two-sided Clopper-Pearson, on effective counts where requests of a cluster",
    `  correlate. Other intervals: ${formatCount(detail.resamples)} resamples of whole clusters. A cluster is a workflow or`,
    "  an out-of-scope group.",
    ...lossLines(detail.attribution),
    ...(options.all === true ? describeDetail(evaluation) : []),
  ];
}

function headLines(evaluation: Evaluation): readonly string[] {
  const { requests, in_scope, out_of_scope, workflows, scoring_errors } = evaluation;
  const size = `${formatCount(in_scope)} in scope, for ${counted(workflows, "workflow")}; ${formatCount(out_of_scope)} out of scope`;
  return [
    `  run          ${evaluation.run_sha256.slice(0, 12)}`,
    `  calibration  ${evaluation.calibration_sha256?.slice(0, 12) ?? "none: no decisions; confidence is the verifier's score"}`,
    `  fold         ${evaluation.fold}`,
    `  requests     ${formatCount(requests)}: ${size}`,
    `  failed       ${scoring_errors === 0 ? "none" : `${counted(scoring_errors, "request")}, excluded from every metric`}`,
  ];
}

function decisionLines(evaluation: Evaluation): readonly string[] {
  if (evaluation.calibration_sha256 === null) return [];
  const { risk, clarification, out_of_scope } = evaluation.detail;
  return [
    rateRow("coverage ↑", evaluation.coverage),
    rateRow("  in scope ↑", evaluation.in_scope_coverage),
    rateRow("  out of scope routed ↓", evaluation.out_of_scope_routed),
    ...out_of_scope.apart
      .filter(({ routed }) => routed.n > 0 && routed.n < evaluation.out_of_scope)
      .map(({ population, routed }) => rateRow(`    ${population.replace("_oos", "")} ↓`, routed)),
    rateRow("selective risk ↓", evaluation.selective_risk),
    rateRow("  out of scope ↓", risk.out_of_scope_of_routed),
    rateRow("  wrong workflow ↓", risk.wrong_workflow_of_routed),
    rateRow("joint risk ↓", risk.joint_risk),
    ...evaluation.tiers.flatMap(tierLines),
    rateRow("clarify precision ↑", clarification.precision),
    rateRow("missing-input recall ↑", clarification.missing_input_recall),
  ];
}

function tierLines(tier: TierEvaluation): readonly string[] {
  if (tier.routed.n === 0) return [`    tier ${tier.tier}: no request has a top candidate of this tier`];
  if (tier.threshold === null) return [`    tier ${tier.tier}: abstains, 0 of ${formatCount(tier.routed.n)} routed`];
  const target = tier.target_risk === null ? "" : `≤ ${formatPercent(tier.target_risk)}`;
  return [
    rateRow(`  tier ${tier.tier} routed ↑`, tier.routed),
    rateRow(`  tier ${tier.tier} risk ↓`, tier.selective_risk, target),
  ];
}

function confidenceLines({ curve, calibration, out_of_scope }: EvaluationDetail): readonly string[] {
  return [
    measuredRow("AURC (discrete) ↓", curve.aurc),
    measuredRow("AUGRC ↓", curve.augrc),
    measuredRow("ECE (10 bins) ↓", calibration.equal_width_error),
    measuredRow("Brier score ↓", calibration.brier),
    measuredRow("out-of-scope AUROC ↑", out_of_scope.auroc),
    measuredRow("out-of-scope FPR@95 ↓", out_of_scope.false_positive_at_95),
  ];
}

/** Number of requests by stage; empty without decisions. */
function lossLines(attribution: Attribution | null): readonly string[] {
  if (attribution === null) return [];
  const rows = attribution.rows.filter((each) => each.requests > 0);
  const line = (name: string, cells: readonly string[]): string =>
    `  ${name.padEnd(bucketWidth)}${cells.map((cell) => cell.padStart(countWidth)).join("")}`;
  return [
    "",
    line("where requests end", ["requests", "routed", "asked", "declined"]),
    ...rows.map(({ bucket, requests, routed, asked, declined }) =>
      line(bucket.replaceAll("_", " "), [requests, routed, asked, declined].map(formatCount)),
    ),
  ];
}

const bucketWidth = 22;
const countWidth = 11;

/** The additional sections of `eval show --all`: every number in the detail of an evaluation. */
function describeDetail({ detail, reasons, calibration_sha256 }: Evaluation): readonly string[] {
  const decided = calibration_sha256 !== null;
  return [
    ...section("retrieval, on the whole catalog and on the workflows allowed for the caller", [
      ...detail.retrieval.depths.flatMap(depthRows),
      measuredRow("MRR ↑", detail.retrieval.mean_reciprocal_rank),
      measuredRow("  MRR, eligible ↑", detail.retrieval.eligible_mean_reciprocal_rank),
    ]),
    ...section("risk and coverage by confidence alone, with thresholds chosen on these requests", curveRows(detail)),
    ...section("calibration of the confidence", calibrationRows(detail)),
    ...section("out-of-scope detection", outOfScopeRows(detail)),
    ...(decided ? section("risk of the decisions", riskRows(detail.risk)) : []),
    ...(decided ? section("if one stage were perfect", counterfactualRows(detail)) : []),
    ...section(
      "decisions by reason",
      reasons.map(({ reason_code, count }) => `  ${formatCount(count).padStart(9)}  ${reason_code}`),
    ),
    ...section("each text guard by itself", (detail.guards ?? []).flatMap(guardRows)),
    ...sliceSections(detail.slices, decided),
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `  ${title}`, ...lines];
}

function depthRows({ k, recall, eligible_recall }: RetrievalDetail["depths"][number]): readonly string[] {
  return [rateRow(`recall@${k} ↑`, recall), rateRow(`  recall@${k}, eligible ↑`, eligible_recall)];
}

function curveRows({ curve }: EvaluationDetail): readonly string[] {
  return [
    measuredRow("AURC ↓", curve.aurc),
    measuredRow("E-AURC ↓", curve.excess_aurc),
    measuredRow("AUGRC ↓", curve.augrc),
    ...curve.risk_at_coverage.map(({ coverage, achieved, risk }) =>
      achieved === null
        ? `    coverage ${formatPercent(coverage)} cannot be reached`
        : rateRow(`risk at coverage ${formatPercent(coverage)} ↓`, risk, `at ${formatShare(achieved)}`),
    ),
    ...curve.coverage_at_risk.map(({ risk, coverage, threshold }) =>
      measuredRow(
        `coverage at risk ${formatPercent(risk)} ↑`,
        coverage,
        threshold === null ? "none" : `t = ${threshold}`,
      ),
    ),
  ];
}

function calibrationRows({ calibration }: EvaluationDetail): readonly string[] {
  return [
    measuredRow("ECE, equal width ↓", calibration.equal_width_error),
    measuredRow("ECE, equal mass ↓", calibration.equal_mass_error),
    measuredRow("Brier score ↓", calibration.brier),
    measuredRow("log loss ↓", calibration.log_loss),
  ];
}

function outOfScopeRows({ out_of_scope }: EvaluationDetail): readonly string[] {
  const { prevalence } = out_of_scope;
  const shares = prevalence === null ? ["", ""] : [formatShare(1 - prevalence), formatShare(prevalence)];
  return [
    measuredRow("AUROC ↑", out_of_scope.auroc),
    measuredRow("AUPR in scope ↑", out_of_scope.precision_in_scope, `share ${shares[0]}`),
    measuredRow("AUPR out of scope ↑", out_of_scope.precision_out_of_scope, `share ${shares[1]}`),
    measuredRow("FPR@95 ↓", out_of_scope.false_positive_at_95),
    ...out_of_scope.apart.flatMap(({ population, auroc, false_positive_at_95, routed }) => [
      measuredRow(`${population.replace("_oos", "")}: AUROC ↑`, auroc),
      measuredRow("  FPR@95 ↓", false_positive_at_95),
      rateRow("  routed ↓", routed),
    ]),
  ];
}

function riskRows(risk: RiskDetail): readonly string[] {
  const { without_one_workflow: range } = risk;
  return [
    rateRow("in scope, wrong workflow ↓", risk.in_scope_wrong),
    measuredRow("mean risk of clusters ↓", risk.macro_risk),
    ...(range === null
      ? []
      : [
          `    without the routes to any one workflow: ${formatFixedPercentDown(range.lower)} to ${formatFixedPercentUp(range.upper)}`,
        ]),
    ...risk.selective_risk_intervals.map(({ method, assumes, ...interval }) =>
      row({
        label: `risk, ${method}`,
        count: "",
        value: "",
        interval: shareIntervalText(interval),
        clusters: "",
        note: assumes,
      }),
    ),
    ...risk.prevalence_adjusted.map(({ out_of_scope_share, value, upper }) =>
      row({
        label: `at ${formatPercent(out_of_scope_share)} out of scope ↓`,
        count: "",
        value: formatShare(value),
        interval: upper === null ? "" : `≤ ${formatFixedPercentUp(upper)} (95 %)`,
        clusters: "",
      }),
    ),
  ];
}

function counterfactualRows({ attribution }: EvaluationDetail): readonly string[] {
  return (attribution?.counterfactuals ?? []).flatMap(({ perfect, coverage, selective_risk, in_scope_right }) => [
    rateRow(`${perfect}: coverage ↑`, coverage),
    rateRow("  selective risk ↓", selective_risk),
    rateRow("  in scope, routed right ↑", in_scope_right),
  ]);
}

function guardRows({
  guard_id,
  enabled,
  in_scope_declined,
  out_of_scope_declined,
}: GuardEvaluation): readonly string[] {
  return [
    `    ${guard_id} (${enabled ? "in the policy" : "not in the policy"})`,
    rateRow("  in scope declined ↓", in_scope_declined),
    rateRow("  out of scope declined ↑", out_of_scope_declined),
  ];
}

/** One table per dimension, with the main numbers of each value. */
function sliceSections(slices: readonly SliceEvaluation[], decided: boolean): readonly string[] {
  const dimensions = [...new Set(slices.map((slice) => slice.dimension))];
  return dimensions.flatMap((dimension) => {
    const own = slices.filter((slice) => slice.dimension === dimension);
    return section(`by ${dimension}`, [
      sliceLine(["", "requests", "recall", "top-1", ...(decided ? ["coverage", "risk", "risk ≤"] : []), "ECE"]),
      ...own.map((slice) => sliceLine(sliceCells(slice, decided))),
    ]);
  });
}

function sliceCells(slice: SliceEvaluation, decided: boolean): readonly string[] {
  const { recall_at_k, verified_top1, coverage, selective_risk } = slice;
  const upper = selective_risk.upper === null ? "-" : formatFixedPercentUp(selective_risk.upper);
  const short = (value: number | null): string => (value === null ? "-" : formatFixedPercent(value));
  return [
    slice.value,
    formatCount(slice.requests),
    short(recall_at_k.estimate),
    short(verified_top1.estimate),
    ...(decided ? [short(coverage.estimate), short(selective_risk.estimate), upper] : []),
    formatValue(slice.equal_width_error.value),
  ];
}

const nameWidth = 30;
const cellWidth = 9;

function sliceLine([name = "", ...cells]: readonly string[]): string {
  const shown = name.length > nameWidth ? `${name.slice(0, nameWidth - 1)}…` : name;
  return `    ${shown.padEnd(nameWidth)}${cells.map((cell) => cell.padStart(cellWidth)).join("")}`;
}
