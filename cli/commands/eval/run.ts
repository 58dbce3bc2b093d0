import { formatSeconds } from "../../../src/domain/number-text.js";
import { gatedResult } from "../../gated-result.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { fields } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { evalRunShape } from "../../shapes/eval.js";
import { readPolicyFile } from "../../../workbench/records/read-policy.js";
import { scoreRun } from "../../../workbench/evaluation/score-run.js";
import { evaluateRun } from "../../../workbench/evaluation/evaluate-run.js";
import { describeEvaluation } from "../../../eval/describe-evaluation.js";
import { holdGates, readGates } from "../../../workbench/evaluation/hold-gates.js";
import { evaluationWire } from "../../../eval/evaluation-document.js";

export const evalRun: WorkOf<typeof evalRunShape> = (context, args) =>
  withHistory(context, "write", async (stage) => {
    const rules = readGates(args.gate, args.baseline);
    const scored = await scoreRun(stage, {
      ...(args.split === undefined ? {} : { splitId: args.split }),
      retriever: args.retriever,
      verifier: args.verifier,
      policy: args.policy === undefined ? undefined : await readPolicyFile(args.policy),
      workers: Math.max(1, args.workers),
      maxErrorShare: args.maxErrors,
    });
    const evaluation = evaluateRun(stage, { runId: scored.runId, fold: "eval" });
    const milliseconds = scored.milliseconds;
    const { runId } = scored;
    const gates = holdGates(stage.history, { gates: rules, runId, fold: "eval", baseline: args.baseline });
    const parts = {
      schema: "eval-run@1",
      result: {
        run: scored.runId,
        document: scored.run,
        evaluation: evaluationWire(evaluation.document),
        milliseconds,
        scores_of: scored.scoresOf,
      },
      lines: [
        ...fields([
          ["run", shortId(scored.runId)],
          ["requests", `${scored.run.requests} requests, ${scored.run.example_errors} failed`],
          ["models", scored.run.model_version],
          ...(scored.scoresOf === null
            ? []
            : ([["scores of", `run ${shortId(scored.scoresOf)}, which differs only in its split`]] as const)),
          ["time", formatSeconds(milliseconds)],
        ]),
        "",
        ...describeEvaluation(evaluation.document),
      ],
      next: [context.nextLine("calibrate", "plan", "--run", shortId(scored.runId))],
      gates,
    };
    return gatedResult(parts, { suite: "sluice eval run", junit: args.junit });
  });
