import {
  formatCount,
  formatPercent,
  formatValue,
  formatFixedPercent,
  formatFixedPercentDown,
  formatFixedPercentUp,
  formatShare,
} from "../src/domain/number-text.js";
import type {
  DetailedEvaluation,
  EvaluationDetail,
  GuardEvaluation,
  RetrievalDepth,
  RiskDetail,
  SliceEvaluation,
} from "../src/domain/evaluation.js";
import { measuredRow, rateRow, row, shareIntervalText } from "./evaluation-rows.js";

/** The sections that `eval show --all` adds: every number of the detail of an evaluation. */
export function describeDetail({ detail, reasons, calibrationSha256 }: DetailedEvaluation): readonly string[] {
  const decided = calibrationSha256 !== null;
  return [
    ...section("retrieval, on the whole catalog and on the workflows allowed for the caller", [
      ...detail.retrieval.depths.flatMap(depthRows),
      measuredRow("MRR ↑", detail.retrieval.meanReciprocalRank),
      measuredRow("  MRR, eligible ↑", detail.retrieval.eligibleMeanReciprocalRank),
    ]),
    ...section("risk and coverage of the confidence alone, threshold chosen on these requests", curveRows(detail)),
    ...section("calibration of the confidence", calibrationRows(detail)),
    ...section("out-of-scope detection", outOfScopeRows(detail)),
    ...(decided ? section("risk of the decisions", riskRows(detail.risk)) : []),
    ...(decided ? section("if one stage were perfect", counterfactualRows(detail)) : []),
    ...section(
      "decisions by reason",
      reasons.map(({ reasonCode, count }) => `  ${formatCount(count).padStart(9)}  ${reasonCode}`),
    ),
    ...section("text guards, each on its own", (detail.guards ?? []).flatMap(guardRows)),
    ...sliceSections(detail.slices, decided),
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `  ${title}`, ...lines];
}

function depthRows({ k, recall, eligibleRecall }: RetrievalDepth): readonly string[] {
  return [rateRow(`recall@${k} ↑`, recall), rateRow(`  recall@${k}, eligible ↑`, eligibleRecall)];
}

function curveRows({ curve }: EvaluationDetail): readonly string[] {
  return [
    measuredRow("AURC ↓", curve.aurc),
    measuredRow("E-AURC ↓", curve.excessAurc),
    measuredRow("AUGRC ↓", curve.augrc),
    ...curve.riskAtCoverage.map(({ coverage, achieved, risk }) =>
      achieved === null
        ? `    coverage ${formatPercent(coverage)} cannot be reached`
        : rateRow(`risk at coverage ${formatPercent(coverage)} ↓`, risk, `at ${formatShare(achieved)}`),
    ),
    ...curve.coverageAtRisk.map(({ risk, coverage, threshold }) =>
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
    measuredRow("ECE, equal width ↓", calibration.equalWidthError),
    measuredRow("ECE, equal mass ↓", calibration.equalMassError),
    measuredRow("Brier score ↓", calibration.brier),
    measuredRow("log loss ↓", calibration.logLoss),
  ];
}

function outOfScopeRows({ outOfScope }: EvaluationDetail): readonly string[] {
  const { prevalence } = outOfScope;
  const shares = prevalence === null ? ["", ""] : [formatShare(1 - prevalence), formatShare(prevalence)];
  return [
    measuredRow("AUROC ↑", outOfScope.auroc),
    measuredRow("AUPR in scope ↑", outOfScope.precisionInScope, `share ${shares[0]}`),
    measuredRow("AUPR out of scope ↑", outOfScope.precisionOutOfScope, `share ${shares[1]}`),
    measuredRow("FPR@95 ↓", outOfScope.falsePositiveAt95),
    ...outOfScope.apart.flatMap(({ population, auroc, falsePositiveAt95, routed }) => [
      measuredRow(`${population.replace("_oos", "")}: AUROC ↑`, auroc),
      measuredRow("  FPR@95 ↓", falsePositiveAt95),
      rateRow("  routed ↓", routed),
    ]),
  ];
}

function riskRows(risk: RiskDetail): readonly string[] {
  const { withoutOneWorkflow: range } = risk;
  return [
    rateRow("in scope, wrong workflow ↓", risk.inScopeWrong),
    measuredRow("mean risk of clusters ↓", risk.macroRisk),
    ...(range === null
      ? []
      : [
          `    without the routes to any one workflow: ${formatFixedPercentDown(range.lower)} to ${formatFixedPercentUp(range.upper)}`,
        ]),
    ...risk.selectiveRiskIntervals.map(({ method, assumes, ...interval }) =>
      row({
        label: `risk, ${method}`,
        count: "",
        value: "",
        interval: shareIntervalText(interval),
        clusters: "",
        note: assumes,
      }),
    ),
    ...risk.prevalenceAdjusted.map(({ outOfScopeShare, value, upper }) =>
      row({
        label: `if ${formatPercent(outOfScopeShare)} were outside ↓`,
        count: "",
        value: formatShare(value),
        interval: upper === null ? "" : `≤ ${formatFixedPercentUp(upper)} (95 %)`,
        clusters: "",
      }),
    ),
  ];
}

function counterfactualRows({ attribution }: EvaluationDetail): readonly string[] {
  return (attribution?.counterfactuals ?? []).flatMap(({ perfect, coverage, selectiveRisk, inScopeRight }) => [
    rateRow(`${perfect}: coverage ↑`, coverage),
    rateRow("  selective risk ↓", selectiveRisk),
    rateRow("  in scope routed right ↑", inScopeRight),
  ]);
}

function guardRows({ guardId, enabled, inScopeDeclined, outOfScopeDeclined }: GuardEvaluation): readonly string[] {
  return [
    `    ${guardId} (${enabled ? "in the policy" : "not in the policy"})`,
    rateRow("  in scope declined ↓", inScopeDeclined),
    rateRow("  out of scope declined ↑", outOfScopeDeclined),
  ];
}

/** One table for each dimension: a line for each value with its main numbers. */
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
  const { recallAtK, verifiedTop1, coverage, selectiveRisk } = slice;
  const upper = selectiveRisk.upper === null ? "-" : formatFixedPercentUp(selectiveRisk.upper);
  const short = (value: number | null): string => (value === null ? "-" : formatFixedPercent(value));
  return [
    slice.value,
    formatCount(slice.requests),
    short(recallAtK.estimate),
    short(verifiedTop1.estimate),
    ...(decided ? [short(coverage.estimate), short(selectiveRisk.estimate), upper] : []),
    formatValue(slice.equalWidthError.value),
  ];
}

const nameWidth = 30;
const cellWidth = 9;

function sliceLine([name = "", ...cells]: readonly string[]): string {
  const shown = name.length > nameWidth ? `${name.slice(0, nameWidth - 1)}…` : name;
  return `    ${shown.padEnd(nameWidth)}${cells.map((cell) => cell.padStart(cellWidth)).join("")}`;
}
