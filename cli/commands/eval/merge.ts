import { describeEvaluation } from "../../../reports/text/evaluation-text.js";
import { counted } from "../../../src/documents/number-text.js";
import { shortId } from "../../../src/base/text.js";
import { mergeEvaluation } from "../../../stages/score.js";
import type { WorkOf } from "../../command.js";
import type { evalMergeSpec } from "../../specs/eval.js";
import { fields } from "../../table.js";

export const evalMerge: WorkOf<typeof evalMergeSpec> = async (context, args, { junit }) => {
  const { gates, ...merged } = await mergeEvaluation(context, args);
  const { run, document, shards, evaluation } = merged;
  return {
    result: merged,
    lines: [
      ...fields([
        ["run", shortId(run)],
        ["shards", counted(shards, "shard")],
        ["requests", `${counted(document.requests, "request")}, ${document.scoring_errors} failed`],
        ["models", document.model_version],
      ]),
      "",
      ...describeEvaluation(evaluation),
    ],
    next: [context.next("calibrate", "plan", "--run", shortId(run))],
    gates,
    gateReport: { junit },
  };
};
