import { type ListedRun, listRuns } from "../../../stages/compare.js";
import { shortId } from "../../../src/base/text.js";
import { table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { evalListSpec } from "../../specs/eval.js";

export const evalList: WorkOf<typeof evalListSpec> = async (context) => {
  const runs = await listRuns(context);
  const [a, b] = runs.slice(-2).map(({ run }) => shortId(run));
  return {
    result: { runs },
    lines:
      runs.length === 0
        ? ["no runs"]
        : table(runs.map(cells), [
            "run",
            "time",
            "kind",
            "requests",
            "failed",
            "dataset",
            "catalog",
            "calibrations",
            "models",
          ]),
    next:
      a === undefined || b === undefined
        ? [context.nextLine(...(context.inProject ? ["run"] : ["eval", "run"]))]
        : [context.nextLine("eval", "compare", a, b)],
  };
};

function cells(run: ListedRun): readonly string[] {
  const short = (sha256: string | null): string => (sha256 === null ? "-" : sha256.slice(0, 8));
  return [
    shortId(run.run),
    run.at,
    run.kind,
    String(run.requests),
    String(run.scoring_errors),
    short(run.dataset_sha256),
    short(run.catalog_sha256),
    String(run.calibrations.length),
    run.model_version,
  ];
}
