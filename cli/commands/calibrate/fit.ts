import { defineCommand } from "../../command.js";
import { optional } from "../../options.js";
import { count, id, text } from "../../parsers.js";
import { withHistory } from "../../records.js";
import { shortId } from "../../short-id.js";
import { evaluationJson } from "../../evaluation-json.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { choicesOf, claimOptions } from "./claim-options.js";

export const calibrateFit = defineCommand({
  name: ["calibrate", "fit"],
  describe: "Fit and certify the thresholds of every risk tier; a tier without enough evidence abstains",
  positionals: {},
  options: {
    run: optional(id, "run; the latest when absent"),
    ...claimOptions,
    "cross-fit": optional(count, "parts of a cross-fit over TUNE and CERTIFY together; claim fixed-catalog only"),
    name: optional(text, "calibration version; made from the run when absent"),
  },
  examples: [
    ["sluice calibrate fit --target 0.1", "at most 10 % wrong in every tier"],
    ["sluice calibrate fit --target low=0.2,medium=0.2,high=0.1,critical=0.1", "one target for each tier"],
  ],
  run: (context, args) =>
    withHistory(context, "write", async (stage) => {
      const { fitThresholds } = await import("../../stages/fit-thresholds.js");
      const { readRun } = await import("../../stages/read-records.js");
      const { describeCalibration } = await import("../../../calibrate/describe-calibration.js");
      const { describeEvaluation } = await import("../../../eval/describe-evaluation.js");
      const run = readRun(stage.history, args.run);
      const { calibration, evaluation, milliseconds } = fitThresholds(stage, {
        runId: run.sha256,
        ...choicesOf(args),
        ...(args.crossFit === undefined ? {} : { crossFit: args.crossFit }),
        version: args.name ?? `calibration-${shortId(run.sha256)}`,
      });
      return commandResult({
        schema: "calibrate-fit@1",
        result: {
          calibration: calibration.sha256,
          document: JSON.parse(calibration.bytes.toString("utf8")) as unknown,
          evaluation: evaluationJson(evaluation.document),
          milliseconds,
        },
        lines: [
          ...fields([["calibration", shortId(calibration.sha256)]]),
          "",
          ...describeCalibration(calibration.document),
          "",
          ...describeEvaluation(evaluation.document),
        ],
        warnings: calibration.document.warnings,
        next: [
          context.nextLine("report", "eval"),
          context.nextLine("manifest", "create", "--producer", "NAME", "--key", "FILE"),
        ],
      });
    }),
});
