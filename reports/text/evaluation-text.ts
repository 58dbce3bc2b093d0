import { counted, formatCount, formatPercent } from "../../src/documents/number-text.js";
import { languageName } from "../../src/base/language.js";
import {
  type Attribution,
  type Evaluation,
  type EvaluationDetail,
  languageDimension,
  type SliceEvaluation,
  type TierEvaluation,
} from "../../src/documents/evaluation.js";
import { selectiveRiskLabel } from "../judge-release.js";
import { measuredRow, rateRow, row } from "./evaluation-rows.js";

/**
 * Output lines of `eval show`: one metric per line as `k / n`, value, 95% interval and number of clusters. Values are
 * rounded to nearest, interval ends outward. An arrow marks the better direction.
 * @param claimNote  why the claim counts these requests differently; "" if it does not
 * @returns  lines of at most 100 characters, without line feeds
 */
export function describeEvaluation(evaluation: Evaluation, claimNote = ""): readonly string[] {
  const { retrieval, detail } = evaluation;
  return [
    ...headLines(evaluation),
    "",
    row({
      label: "metric",
      count: "k / n",
      value: "value",
      interval: "95% interval",
      clusters: "clusters",
      note: "target",
    }),
    rateRow("retrieval top-1 ↑", retrieval.top1),
    rateRow("retrieval recall@5 ↑", retrieval.recall_at_5),
    rateRow("retrieval recall@K ↑", retrieval.recall_at_k),
    measuredRow("retrieval MRR ↑", detail.retrieval.mean_reciprocal_rank),
    rateRow("verified top-1 ↑", evaluation.verified_top1),
    ...decisionLines(evaluation, claimNote),
    ...confidenceLines(detail),
    "",
    "  Intervals of rates: two-sided Clopper-Pearson, on effective counts where requests of a cluster",
    `  correlate. Other intervals: ${formatCount(detail.resamples)} resamples of whole clusters. A cluster is`,
    `  ${clusterText[evaluation.cluster]}.`,
    ...lossLines(detail.attribution),
  ];
}

const clusterText: Readonly<Record<Evaluation["cluster"], string>> = {
  workflow: "a workflow or an out-of-scope group",
  family: "a family of similar requests or an out-of-scope group: the claim is about these workflows",
};

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

function decisionLines(evaluation: Evaluation, claimNote: string): readonly string[] {
  if (evaluation.calibration_sha256 === null) return [];
  const { risk, clarification, out_of_scope } = evaluation.detail;
  return [
    rateRow("coverage ↑", evaluation.coverage),
    rateRow("  in-scope coverage ↑", evaluation.in_scope_coverage),
    rateRow("  out-of-scope routed ↓", evaluation.out_of_scope_routed),
    ...out_of_scope.apart
      .filter(({ routed }) => routed.n > 0 && routed.n < evaluation.out_of_scope)
      .map(({ population, routed }) => rateRow(`    ${population.replace("_oos", "")} ↓`, routed)),
    rateRow(`${selectiveRiskLabel(claimNote).toLowerCase()} ↓`, evaluation.selective_risk),
    rateRow("  out of scope ↓", risk.out_of_scope_of_routed),
    rateRow("  wrong workflow ↓", risk.wrong_workflow_of_routed),
    rateRow("wrong routes among all requests ↓", risk.joint_risk),
    ...evaluation.tiers.flatMap(tierLines),
    ...evaluation.detail.slices.filter(({ dimension }) => dimension === languageDimension).flatMap(languageLines),
    rateRow("clarify precision ↑", clarification.precision),
    rateRow("missing-input recall ↑", clarification.missing_input_recall),
  ];
}

const languageLines = ({ value, coverage, selective_risk: risk }: SliceEvaluation): readonly string[] => [
  rateRow(`  ${languageName(value)} routed ↑`, coverage),
  rateRow(`  ${languageName(value)} risk ↓`, risk),
];

function tierLines(tier: TierEvaluation): readonly string[] {
  if (tier.routed.n === 0) return [];
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
