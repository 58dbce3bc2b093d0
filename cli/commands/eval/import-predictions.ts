import { importPredictions } from "../../../stages/import-predictions.js";
import { shortId } from "../../../src/base/text.js";
import { systemTable } from "./leaderboard.js";
import type { WorkOf } from "../../command.js";
import type { evalImportPredictionsSpec } from "../../specs/eval.js";

export const evalImportPredictions: WorkOf<typeof evalImportPredictionsSpec> = async (context, args) => {
  const imported = await importPredictions(context, args);
  const [first] = imported;
  return {
    result: {
      runs: imported.map(({ runId, run, summary }) => ({
        run: runId,
        document: run,
        summary,
      })),
    },
    lines: [
      ...systemTable(
        imported.map(({ runId, run, summary }) => ({ run_id: runId, summary, system: run.model_version })),
      ),
      "",
      "  cov@: largest share answered with that accuracy, with the threshold chosen on the same rows",
    ],
    next:
      first === undefined
        ? []
        : [context.next("eval", "show", "--run", shortId(first.runId), "--min-confidence", "0.5")],
  };
};
