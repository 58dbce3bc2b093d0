import { formatSeconds } from "../../../src/domain/number-text.js";
import { defineCommand } from "../../command.js";
import { optional, preset } from "../../options.js";
import { count, folderReference, id, path, probability } from "../../parsers.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { commandResult } from "../../result.js";
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
      return commandResult({
        schema: "eval-run@1",
        result: {
          run: scored.runId,
          document: scored.run,
          evaluation: evaluationWire(evaluation.document),
          milliseconds,
        },
        lines: [
          ...fields([
            ["run", shortId(scored.runId)],
            ["requests", `${scored.run.requests}, of them not scored ${scored.run.example_errors}`],
            ["models", scored.run.model_version],
            ["time", formatSeconds(milliseconds)],
          ]),
          "",
          ...describeEvaluation(evaluation.document),
        ],
        next: [context.nextLine("calibrate", "fit", "--run", shortId(scored.runId))],
      });
    }),
});
