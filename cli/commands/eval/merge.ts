import { describeEvaluation } from "../../../reports/text/evaluation-text.js";
import { counted } from "../../../src/documents/number-text.js";
import { shortId } from "../../../src/base/text.js";
import { mergeEvaluation } from "../../../stages/score.js";
import type { WorkOf } from "../../command.js";
import type { evalMergeSpec } from "../../specs/eval.js";
import { fields } from "../../table.js";

export const evalMerge: WorkOf<typeof evalMergeSpec> = async (context, args, { junit }) => {
  const merged = await mergeEvaluation(context, args);
  const { runId, run, shards, evaluation, gates } = merged;
  return {
    result: { run: runId, document: run, shards, evaluation },
    lines: [
      ...fields([
        ["run", shortId(runId)],
        ["shards", counted(shards, "shard")],
        ["requests", `${counted(run.requests, "request")}, ${run.scoring_errors} failed`],
        ["models", run.model_version],
      ]),
      "",
      ...describeEvaluation(evaluation),
    ],
    next: [context.next("calibrate", "plan", "--run", shortId(runId))],
    gates,
    gateReport: { junit },
  };
};
