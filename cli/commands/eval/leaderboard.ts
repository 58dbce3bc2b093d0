import { formatCount } from "../../../src/documents/number-text.js";
import { rankSystems, type RankedSystem } from "../../../stages/runs.js";
import { shortId } from "../../../src/base/text.js";
import type { WorkOf } from "../../command.js";
import type { evalLeaderboardSpec } from "../../specs/eval.js";
import { systemNumbers } from "../../../reports/leaderboard-table.js";
import { table } from "../../table.js";

export const evalLeaderboard: WorkOf<typeof evalLeaderboardSpec> = async (context) => {
  const boards = await rankSystems(context);
  const first = boards[0]?.systems[0]?.run_id;
  return {
    result: { boards },
    lines:
      boards.length === 0
        ? ["no imported predictions"]
        : boards.flatMap(({ requests, out_of_scope: outOfScope, systems }) => [
            `${formatCount(requests)} requests, ${formatCount(outOfScope)} out of scope`,
            ...systemTable(systems),
            "",
          ]),
    next:
      first === undefined
        ? [context.next("eval", "import-predictions", "FILE", "--system", "NAME")]
        : [context.next("report", "eval", "--run", shortId(first), "--min-confidence", "0.5")],
  };
};

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
