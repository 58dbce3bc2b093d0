import { folds } from "../../../src/domain/split.js";
import { defineCommand } from "../../command.js";
import { flag, optional, preset } from "../../options.js";
import { choice, id } from "../../parsers.js";
import { withHistory } from "../../records.js";
import { shortId } from "../../short-id.js";
import { commandResult } from "../../result.js";

export const evalShow = defineCommand({
  name: ["eval", "show"],
  describe: "Show every metric of one fold of a run, with intervals",
  positionals: {},
  options: {
    run: optional(id, "run; the latest when absent"),
    calibration: optional(id, "calibration whose thresholds decide; the latest when absent"),
    uncalibrated: flag("use no calibration: no decisions, the verifier's own confidence"),
    all: flag("every number: operating points, decompositions, counterfactuals and each slice"),
    fold: preset(choice(...folds, "all"), "eval", "fold to measure"),
  },
  examples: [
    ["sluice eval show", "the evaluation fold of the latest run"],
    ["sluice eval show --run 3f9c01ab --all", "every number and each slice of another run"],
  ],
  run: (context, args) =>
    withHistory(context, "read", async ({ history }) => {
      const { evaluateRecords } = await import("../../../eval/metrics/evaluate.js");
      const { describeEvaluation } = await import("../../../eval/describe-evaluation.js");
      const { latestEntry } = await import("../../../src/history/read.js");
      const { readCalibration, readRun, readScoredRecords } = await import("../../stages/read-records.js");
      const run = readRun(history, args.run);
      const calibrationId = args.calibration ?? latestEntry(history, "calibration")?.sha256;
      const calibration =
        args.uncalibrated || calibrationId === undefined ? null : readCalibration(history, calibrationId);
      const evaluation = evaluateRecords({
        records: readScoredRecords(history, run),
        fold: args.fold,
        runSha256: run.sha256,
        topK: run.document.topK,
        calibration,
      });
      return commandResult({
        schema: "eval-show@1",
        result: evaluation,
        lines: describeEvaluation(evaluation, { all: args.all }),
        next: calibration === null ? [context.nextLine("calibrate", "fit", "--run", shortId(run.sha256))] : [],
      });
    }),
});
