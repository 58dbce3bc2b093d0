import { type ListedRun, listRuns } from "../../../stages/runs.js";
import { shortId } from "../../../src/base/text.js";
import type { CommandContext } from "../../context.js";
import { table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { evalListSpec } from "../../specs/eval.js";

export const evalList: WorkOf<typeof evalListSpec> = async (context) => {
  const runs = await listRuns(context);
  const named = runs.some(({ note }) => note !== null);
  return {
    result: { runs },
    lines:
      runs.length === 0
        ? ["no runs"]
        : table(
            runs.map((run) => [...cells(run), ...(named ? [run.note ?? ""] : [])]),
            ["run", "time", "requests", "failed", "dataset", "catalog", "result", ...(named ? ["note"] : [])],
          ),
    next: [context.next(...nextWords(context, runs))],
  };
};

/** Compares the latest run with the one before it in a project, otherwise with the latest before it on the same dataset. */
function nextWords({ inProject }: CommandContext, runs: readonly ListedRun[]): readonly string[] {
  const last = runs.at(-1);
  if (last === undefined || runs.length === 1) return inProject ? ["run"] : ["eval", "run"];
  const before = runs.slice(0, -1).findLast((run) => inProject || run.dataset_sha256 === last.dataset_sha256);
  const shown = shortId(last.run);
  return before === undefined ? ["eval", "show", "--run", shown] : ["eval", "compare", shortId(before.run), shown];
}

function cells(run: ListedRun): readonly string[] {
  const short = (sha256: string | null): string => (sha256 === null ? "-" : shortId(sha256));
  return [
    shortId(run.run),
    run.at,
    String(run.requests),
    String(run.scoring_errors),
    short(run.dataset_sha256),
    short(run.catalog_sha256),
    run.result ?? (run.kind === "imported" ? run.model_version : "no calibration"),
  ];
}
