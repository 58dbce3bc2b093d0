import { describeEvaluation } from "../../../reports/text/evaluation-text.js";
import { counted } from "../../../src/documents/number-text.js";
import { holdGates, readGates } from "../../../stages/evaluate/hold-gates.js";
import { shortId } from "../../../src/base/text.js";
import { withHistory } from "../../../store/records/with-history.js";
import { mergeEvaluation } from "../../../stages/score/shard-evaluation.js";
import type { WorkOf } from "../../command.js";
import type { evalMergeSpec } from "../../specs/eval.js";
import { fields } from "../../table.js";

export const evalMerge: WorkOf<typeof evalMergeSpec> = async (context, args) => {
  const { files, retriever, verifier, policy: policyFile, maxErrors: maxErrorShare, baseline } = args;
  const rules = readGates(args.gate, baseline);
  const merged = await mergeEvaluation(context, { files, retriever, verifier, policyFile, maxErrorShare });
  const { runId, run, shards, evaluation } = merged;
  const gates = await withHistory(context, "read", async ({ history }) =>
    holdGates(history, { gates: rules, runId, fold: "eval", baseline }),
  );
  return {
    result: { run: runId, document: run, shards, evaluation: evaluation },
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
    next: [context.nextLine("calibrate", "plan", "--run", shortId(runId))],
    gates,
    gateReport: args,
  };
};
