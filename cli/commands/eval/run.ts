import { formatSeconds } from "../../../src/domain/number-text.js";
import { defineCommand } from "../../command.js";
import { gatedResult, gateOptions } from "../../gate-options.js";
import { optional, preset } from "../../options.js";
import { count, folderReference, id, path, probability } from "../../parsers.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { fields } from "../../table.js";

export const evalRun = defineCommand({
  name: ["eval", "run"],
  describe: "Score every request of a split once, through the code that serves",
  positionals: {},
  options: {
    split: optional(id, "split; the latest when absent"),
    retriever: optional(folderReference, "retriever, also a model directory; the latest when absent"),
    verifier: optional(folderReference, "verifier, also a model directory; the latest when absent"),
    policy: optional(path, "routing policy, YAML or JSON; the default policy when absent"),
    workers: preset(count, "2", "inference threads"),
    "max-errors": preset(probability, "0.01", "share of requests whose scoring may fail"),
    ...gateOptions,
  },
  examples: [
    ["sluice eval run", "the latest split and models"],
    ["sluice eval run --retriever my-encoder --policy policy.yaml --workers 4", "an own model and policy"],
  ],
  run: (context, args) =>
    withHistory(context, "write", async (stage) => {
      const { readPolicyFile } = await import("../../../workbench/records/read-policy.js");
      const { scoreRun } = await import("../../../workbench/evaluation/score-run.js");
      const { evaluateRun } = await import("../../../workbench/evaluation/evaluate-run.js");
      const { describeEvaluation } = await import("../../../eval/describe-evaluation.js");
      const { holdGates, readGates } = await import("../../../workbench/evaluation/hold-gates.js");
      const rules = readGates(args.gate, args.baseline);
      const { evaluationWire } = await import("../../../eval/evaluation-document.js");
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
            ["requests", `${scored.run.requests}, of them not scored ${scored.run.example_errors}`],
            ["models", scored.run.model_version],
            ...(scored.scoresOf === null
              ? []
              : ([["scores of", `run ${shortId(scored.scoresOf)}, which differs in its split only`]] as const)),
            ["time", formatSeconds(milliseconds)],
          ]),
          "",
          ...describeEvaluation(evaluation.document),
        ],
        next: [context.nextLine("calibrate", "plan", "--run", shortId(scored.runId))],
        gates,
      };
      return gatedResult(parts, { suite: "sluice eval run", junit: args.junit });
    }),
});
