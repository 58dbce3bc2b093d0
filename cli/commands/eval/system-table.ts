import type { RankedSystem } from "../../../stages/compare.js";
import { shortId } from "../../../src/base/text.js";
import { formatTenthsPercent } from "../../../src/documents/number-text.js";
import { table } from "../../table.js";

/** The usual numbers of systems with a reject option, one row each. */
export function systemTable(systems: readonly RankedSystem[]): readonly string[] {
  const share = (value: number | null, digits = 3): string => (value === null ? "-" : value.toFixed(digits));
  const percent = (value: number | null): string => (value === null ? "-" : formatTenthsPercent(value));
  const rows = systems.map(({ run_id: runId, system, summary: s }) => [
    shortId(runId),
    system,
    String(s.requests),
    String(s.out_of_scope),
    share(s.best_threshold, 1),
    percent(s.in_scope_accuracy),
    percent(s.out_of_scope_recall),
    share(s.matthews),
    share(s.auroc.value),
    share(s.aurc.value),
    percent(s.coverage_at_90),
    percent(s.coverage_at_95),
    share(s.expected_calibration_error.value),
  ]);
  const heading = [
    "run",
    "system",
    "n",
    "OOS",
    "best t",
    "in-acc",
    "OOS rec",
    "MCC",
    "AUROC",
    "AURC",
    "cov@90",
    "cov@95",
    "ECE",
  ];
  return table(rows, heading);
}
