import type { RankedSystem } from "../../../stages/compare.js";
import { shortId } from "../../../src/base/text.js";
import { systemNumbers } from "../../../reports/leaderboard-table.js";
import { table } from "../../table.js";

/** Results of systems with a reject option, one row per system. */
export function systemTable(systems: readonly RankedSystem[]): readonly string[] {
  const rows = systems.map(({ run_id: runId, system, summary }) => [
    shortId(runId),
    system,
    String(summary.requests),
    String(summary.out_of_scope),
    ...systemNumbers(summary, "-"),
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
