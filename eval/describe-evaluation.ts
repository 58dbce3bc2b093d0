import { counted, formatCount } from "../src/domain/number-text.js";
import type { Attribution, Evaluation, EvaluationDetail, TierEvaluation } from "../src/domain/evaluation.js";
import { describeDetail } from "./describe-detail.js";
import { measuredRow, rateRow, row } from "./evaluation-rows.js";

export interface DescribeOptions {
  /** Every number instead of one screen. */
  readonly all?: boolean;
}

/**
 * The lines that `eval show` prints: one metric per line as `k / n`, value, 95 % interval and the number of clusters
 * behind it. Values are rounded to the nearest, interval ends outward. An arrow says which direction is better. An
 * evaluation without detail shows what it has.
 * @returns lines of at most 100 characters, without line feeds
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
    rateRow("retrieval recall@5 ↑", retrieval.recallAt5),
    rateRow("retrieval recall@K ↑", retrieval.recallAtK),
    measuredRow("retrieval MRR ↑", detail?.retrieval.meanReciprocalRank ?? retrieval.meanReciprocalRank),
    rateRow("verified top-1 ↑", evaluation.verifiedTop1),
    ...decisionLines(evaluation),
    ...confidenceLines(evaluation),
    "",
    "  Rates: two-sided Clopper-Pearson, on effective counts where requests of a cluster correlate.",
    `  Other numbers: ${formatCount(detail?.resamples ?? 0)} resamples of whole clusters. A cluster is a workflow or an`,
    "  out-of-scope group.",
    ...lossLines(detail?.attribution ?? null),
    ...(options.all === true && detail !== undefined ? describeDetail({ ...evaluation, detail }) : []),
  ];
}

function headLines(evaluation: Evaluation): readonly string[] {
  const { requests, inScope, outOfScope, workflows, exampleErrors } = evaluation;
  const size = `${formatCount(inScope)} in scope of ${counted(workflows, "workflow")}, ${formatCount(outOfScope)} out of scope`;
  return [
    `  run          ${evaluation.runSha256.slice(0, 12)}`,
    `  calibration  ${evaluation.calibrationSha256?.slice(0, 12) ?? "none: no decisions, confidence of the verifier itself"}`,
    `  fold         ${evaluation.fold}`,
    `  requests     ${formatCount(requests)}: ${size}`,
    `  errors       ${counted(exampleErrors, "request failed and is", "requests failed and are")} in no metric`,
  ];
}

function decisionLines(evaluation: Evaluation): readonly string[] {
  if (evaluation.calibrationSha256 === null) return [];
  const { risk, clarification, outOfScope } = evaluation.detail ?? {};
  return [
    rateRow("coverage ↑", evaluation.coverage),
    rateRow("  in scope ↑", evaluation.inScopeCoverage),
    rateRow("  out of scope routed ↓", evaluation.outOfScopeRouted),
    ...(outOfScope?.apart ?? [])
      .filter(({ routed }) => routed.n > 0 && routed.n < evaluation.outOfScope)
      .map(({ population, routed }) => rateRow(`    of them ${population.replace("_oos", "")} ↓`, routed)),
    rateRow("selective risk ↓", evaluation.selectiveRisk),
    ...(risk === undefined
      ? []
      : [
          rateRow("  out of scope ↓", risk.outOfScopeOfRouted),
          rateRow("  wrong workflow ↓", risk.wrongWorkflowOfRouted),
          rateRow("joint risk ↓", risk.jointRisk),
        ]),
    ...evaluation.tiers.flatMap(tierLines),
    rateRow("clarify precision ↑", evaluation.clarifyPrecision),
    ...(clarification === undefined ? [] : [rateRow("missing-input recall ↑", clarification.missingInputRecall)]),
  ];
}

function tierLines(tier: TierEvaluation): readonly string[] {
  if (tier.routed.n === 0) return [`    tier ${tier.tier}: no request has a top candidate of this tier`];
  if (tier.threshold === null) return [`    tier ${tier.tier}: abstains, 0 of ${formatCount(tier.routed.n)} routed`];
  const target = tier.targetRisk === null ? "" : `≤ ${tier.targetRisk}`;
  return [
    rateRow(`  tier ${tier.tier} routed ↑`, tier.routed),
    rateRow(`  tier ${tier.tier} risk ↓`, tier.selectiveRisk, target),
  ];
}

function confidenceLines(evaluation: Evaluation): readonly string[] {
  if (evaluation.detail !== undefined) return bandedLines(evaluation.detail);
  return [
    measuredRow("AURC (discrete) ↓", evaluation.aurc),
    measuredRow("ECE (10 bins) ↓", evaluation.expectedCalibrationError),
    measuredRow("Brier score ↓", evaluation.brier),
    measuredRow("out-of-scope AUROC ↑", evaluation.outOfScopeAuroc),
  ];
}

function bandedLines({ curve, calibration, outOfScope }: EvaluationDetail): readonly string[] {
  return [
    measuredRow("AURC (discrete) ↓", curve.aurc),
    measuredRow("AUGRC ↓", curve.augrc),
    measuredRow("ECE (10 bins) ↓", calibration.equalWidthError),
    measuredRow("Brier score ↓", calibration.brier),
    measuredRow("out-of-scope AUROC ↑", outOfScope.auroc),
    measuredRow("out-of-scope FPR@95 ↓", outOfScope.falsePositiveAt95),
  ];
}

/** Where requests end, by stage; nothing without decisions. */
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
