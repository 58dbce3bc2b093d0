import type { Measured } from "../src/documents/evaluation.js";
import { formatCount, noData } from "../src/documents/number-text.js";
import type { ReportTable } from "./report-model.js";

/** The usual numbers of one system with a reject option; shares in [0, 1], null where undefined. */
export interface LeaderboardRow {
  readonly system: string;
  readonly summary: {
    readonly bestThreshold: number | null;
    readonly inScopeAccuracy: number | null;
    readonly outOfScopeRecall: number | null;
    readonly matthews: number | null;
    readonly auroc: Measured;
    readonly aurc: Measured;
    readonly coverageAt90: number | null;
    readonly coverageAt95: number | null;
    readonly expectedCalibrationError: Measured;
  };
}

/** Systems on the same requests, in the given order. */
export interface LeaderboardData {
  readonly requests: number;
  readonly outOfScope: number;
  readonly systems: readonly LeaderboardRow[];
}

const headings = [
  "Best threshold",
  "In-scope accuracy",
  "Out-of-scope recall",
  "MCC",
  "AUROC",
  "AURC ↓",
  "Coverage with 90 % right",
  "Coverage with 95 % right",
  "ECE ↓",
];

/** The table of systems that answered the same requests. */
export function leaderboardTable({ requests, outOfScope, systems }: LeaderboardData): ReportTable {
  const share = (value: number | null): string => (value === null ? noData : value.toFixed(3));
  return {
    caption:
      `Systems on the same ${formatCount(requests)} requests, ${formatCount(outOfScope)} of them out of scope, ` +
      "lowest AURC first. The threshold is the best of .1 to .9 on these requests.",
    columns: [{ label: "System", numeric: false }, ...headings.map((label) => ({ label, numeric: true }))],
    rows: systems.map(({ system, summary }) => [
      system,
      summary.bestThreshold === null ? noData : summary.bestThreshold.toFixed(1),
      ...[
        summary.inScopeAccuracy,
        summary.outOfScopeRecall,
        summary.matthews,
        summary.auroc.value,
        summary.aurc.value,
        summary.coverageAt90,
        summary.coverageAt95,
        summary.expectedCalibrationError.value,
      ].map(share),
    ]),
  };
}
