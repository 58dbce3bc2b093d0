import { folds } from "../../../src/domain/split.js";
import { defineCommand } from "../../command.js";
import { flag, optional, preset } from "../../options.js";
import { choice, id } from "../../parsers.js";
import { withHistory } from "../../records.js";
import { commandResult } from "../../result.js";
import { calibrationIfAny, runOf } from "../../run-records.js";

export const evalShow = defineCommand({
  name: ["eval", "show"],
  describe: "Show every metric of one fold of a run, with intervals",
  positionals: {},
  options: {
    run: optional(id, "run; the latest when absent"),
    calibration: optional(id, "calibration whose thresholds decide; the latest when absent"),
    uncalibrated: flag("use no calibration: no decisions, the verifier's own confidence"),
    fold: preset(choice(...folds, "all"), "eval", "fold to measure"),
  },
  examples: [
    ["sluice eval show", "the evaluation fold of the latest run"],
    ["sluice eval show --run 3f9c01ab --fold fit --uncalibrated", "another run before calibration"],
  ],
  run: (context, args) =>
    withHistory(context, "read", async (history) => {
      const { evaluateRecords } = await import("../../../eval/metrics/evaluate.js");
      const { describeEvaluation } = await import("../../../eval/describe-evaluation.js");
      const { toCamel } = await import("../../../src/domain/camel.js");
      const { sha256, run, records } = await runOf(history, args.run);
      const stored = args.uncalibrated ? null : await calibrationIfAny(history, args.calibration);
      const evaluation = evaluateRecords({
        records,
        fold: args.fold,
        runSha256: sha256,
        topK: run.top_k,
        calibration: stored === null ? null : { sha256: stored.sha256, document: toCamel(stored.document) },
      });
      return commandResult({
        schema: "eval-show@1",
        result: evaluation,
        lines: describeEvaluation(evaluation),
        next: stored === null ? [context.nextLine("calibrate", "fit", "--run", sha256.slice(0, 12))] : [],
      });
    }),
});
