import type { Figures } from "./rows.js";

/** Results of one system on CLINC150 with many examples. Shares are in [0, 1]; null: unknown. */
export interface FullDataRow extends Figures {
  readonly row: "clinc150-full-data";
  readonly system: string;
  /** "reference": measured by others on the same data by the same rule. */
  readonly source: "published" | "reference" | "measured";
  readonly in_scope_accuracy: number | null;
  readonly oos_recall: number | null;
  readonly auroc: number | null;
  readonly aurc: number | null;
  readonly coverage_at_95: number | null;
  readonly ece: number | null;
}

const columns = [
  ["top1", "top-1"],
  ["recall_at_5", "rec@5"],
  ["coverage", "cover"],
  ["joint_error", "joint"],
  ["in_scope_accuracy", "in-acc"],
  ["oos_recall", "oos-rec"],
  ["auroc", "auroc"],
  ["aurc", "aurc"],
  ["coverage_at_95", "cov@95"],
  ["ece", "ece"],
] as const satisfies readonly (readonly [keyof FullDataRow, string])[];

/** Formats the rows as lines. */
export function fullDataTable(rows: readonly FullDataRow[]): readonly string[] {
  return [
    `${"clinc150-full-data".padEnd(44)}${columns.map(([, head]) => head.padStart(7)).join("  ")}`,
    ...rows.map((row) => {
      const cells = columns.map(([name]) => (row[name] === null ? "-" : row[name].toFixed(3)).padStart(7));
      return `${`${row.system} (${row.source})`.padEnd(44)}${cells.join("  ")}`;
    }),
  ];
}
