import type { PredictionSummary } from "../src/documents/comparison.js";
import { formatCount, formatTenthsPercent, noData } from "../src/documents/number-text.js";
import { num, reportTable, type ReportTable } from "./blocks.js";

/** Results of several systems on the same requests, in the given order. */
export interface LeaderboardData {
  readonly requests: number;
  readonly out_of_scope: number;
  readonly systems: readonly { readonly system: string; readonly summary: PredictionSummary }[];
}

const headings = [
  "Best threshold",
  "In-scope accuracy",
  "Out-of-scope recall",
  "MCC",
  "AUROC",
  "AURC ↓",
  "Coverage at 90% correct",
  "Coverage at 95% correct",
  "ECE ↓",
];

/**
 * Formatted numbers of one system, from its best threshold to its calibration error. @param none  text for an undefined
 * number
 */
export function systemNumbers(summary: PredictionSummary, none: string): readonly string[] {
  const shown = (value: number | null, format: (value: number) => string): string =>
    value === null ? none : format(value);
  const score = (value: number | null): string => shown(value, (known) => known.toFixed(3));
  const percent = (value: number | null): string => shown(value, formatTenthsPercent);
  return [
    shown(summary.best_threshold, (known) => known.toFixed(1)),
    percent(summary.in_scope_accuracy),
    percent(summary.out_of_scope_recall),
    score(summary.matthews),
    score(summary.auroc.value),
    score(summary.aurc.value),
    percent(summary.coverage_at_90),
    percent(summary.coverage_at_95),
    score(summary.expected_calibration_error.value),
  ];
}

export function leaderboardTable({ requests, out_of_scope: outOfScope, systems }: LeaderboardData): ReportTable {
  return reportTable(
    `Systems on the same ${formatCount(requests)} requests (${formatCount(outOfScope)} out of scope), ` +
      "lowest AURC first. The threshold is the best of 0.1 to 0.9 on these requests.",
    ["System", ...headings.map(num)],
    systems.map(({ system, summary }) => [system, ...systemNumbers(summary, noData)]),
  );
}
