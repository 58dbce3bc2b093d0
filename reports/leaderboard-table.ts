import type { Measured } from "../src/documents/evaluation.js";
import { formatCount, formatTenthsPercent, noData } from "../src/documents/number-text.js";
import { num, reportTable, type ReportTable } from "./blocks.js";

/** Results of one system with a reject option. Shares are in [0, 1]; null: undefined. */
export interface LeaderboardRow {
  readonly system: string;
  readonly summary: {
    readonly best_threshold: number | null;
    readonly in_scope_accuracy: number | null;
    readonly out_of_scope_recall: number | null;
    readonly matthews: number | null;
    readonly auroc: Measured;
    readonly aurc: Measured;
    readonly coverage_at_90: number | null;
    readonly coverage_at_95: number | null;
    readonly expected_calibration_error: Measured;
  };
}

/** Results of several systems on the same requests, in the given order. */
export interface LeaderboardData {
  readonly requests: number;
  readonly out_of_scope: number;
  readonly systems: readonly LeaderboardRow[];
}

const headings = [
  "Best threshold",
  "In-scope accuracy",
  "Out-of-scope recall",
  "MCC",
  "AUROC",
  "AURC ↓",
  "Coverage at 90 % correct",
  "Coverage at 95 % correct",
  "ECE ↓",
];

/**
 * Formatted numbers of one system, from its best threshold to its calibration error. @param none  text for an undefined
 * number
 */
export function systemNumbers(summary: LeaderboardRow["summary"], none: string): readonly string[] {
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

/** Table of systems that answered the same requests. */
export function leaderboardTable({ requests, out_of_scope: outOfScope, systems }: LeaderboardData): ReportTable {
  return reportTable(
    `Systems on the same ${formatCount(requests)} requests (${formatCount(outOfScope)} out of scope), ` +
      "lowest AURC first. The threshold is the best of 0.1 to 0.9 on these requests.",
    ["System", ...headings.map(num)],
    systems.map(({ system, summary }) => [system, ...systemNumbers(summary, noData)]),
  );
}
