import type { Estimate, Evaluation, Measured } from "../src/documents/evaluation.js";
import { formatInterval, formatMeasured } from "../src/documents/number-text.js";
import { num, reportTable, type ReportTable } from "./blocks.js";

type Line = readonly [measure: string, value: string, meaning: string];

const columns = ["Measure", num("Value"), "Meaning"];

/** Formats value, n and, if resampled, the 95% band over whole clusters. */
function formatEstimate(estimate: Measured | Estimate): string {
  const band = "band" in estimate ? estimate.band : null;
  return band === null
    ? formatMeasured(estimate)
    : `${formatMeasured(estimate)} ${formatInterval(band.lower, band.upper)}`;
}

export function qualityTable({ detail }: Evaluation): ReportTable {
  return reportTable("Quality of the scores", columns, [
    [
      "Expected calibration error ↓",
      formatEstimate(detail.calibration.equal_width_error),
      "Mean distance between stated confidence and measured accuracy.",
    ],
    ["Brier score ↓", formatEstimate(detail.calibration.brier), "Mean squared error of the confidence."],
    [
      "AURC ↓",
      formatEstimate(detail.curve.aurc),
      "Area under the risk-coverage curve, discrete convention: how well the confidence ranks wrong answers last.",
    ],
    [
      "AUGRC ↓",
      formatEstimate(detail.curve.augrc),
      "Wrong routes as a share of all requests, averaged over all thresholds; at most 0.5.",
    ],
    ["Log loss ↓", formatEstimate(detail.calibration.log_loss), "Nats per request; confident errors cost most."],
    [
      "Mean reciprocal rank ↑",
      formatEstimate(detail.retrieval.mean_reciprocal_rank),
      "Mean of 1 / rank of the right workflow in the retriever's list.",
    ],
  ]);
}

/** Table of how well the score separates in-scope requests from near and from far out-of-scope requests. */
export function outOfScopeTable({ detail }: Evaluation): ReportTable {
  const caption = "Separating in scope from out of scope";
  const meaning = "Probability that an in-scope request scores higher than an out-of-scope one.";
  const { auroc, false_positive_at_95, apart } = detail.out_of_scope;
  const nameOf = (population: string): string => (population === "near_oos" ? "Near" : "Far");
  return reportTable(caption, columns, [
    ["Out-of-scope AUROC ↑", formatEstimate(auroc), meaning],
    [
      "FPR@95 ↓",
      formatEstimate(false_positive_at_95),
      "Share of out-of-scope requests accepted at the threshold that accepts 95% of the in-scope ones.",
    ],
    ...apart.flatMap((each): readonly Line[] => [
      [
        `${nameOf(each.population)}: AUROC ↑`,
        formatMeasured(each.auroc),
        `${nameOf(each.population)} out of scope only.`,
      ],
      [`${nameOf(each.population)}: FPR@95 ↓`, formatMeasured(each.false_positive_at_95), "FPR@95 of this group."],
    ]),
  ]);
}
