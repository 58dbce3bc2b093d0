import { defineCommand } from "../../command.js";
import { gatedResult, gateOptions } from "../../gate-options.js";
import { flag, optional } from "../../options.js";
import { id, probability } from "../../parsers.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { foldOption } from "./run-options.js";

export const evalShow = defineCommand({
  name: ["eval", "show"],
  describe: "Show every metric of one fold of a run, with intervals",
  positionals: {},
  options: {
    run: optional(id, "run; the latest when absent"),
    calibration: optional(id, "calibration whose thresholds decide; the latest that applies to the run when absent"),
    "min-confidence": optional(probability, "one confidence for every tier instead of a calibration"),
    uncalibrated: flag("use no calibration: no decisions, the verifier's own confidence"),
    all: flag("every number: operating points, decompositions, counterfactuals and each slice"),
    ...gateOptions,
    fold: foldOption("fold to measure; all for every fold"),
  },
  examples: [
    ["sluice eval show", "the evaluation fold of the latest run"],
    ["sluice eval show --run 3f9c01ab --all", "every number and each slice of another run"],
  ],
  run: (context, args) =>
    withHistory(context, "read", async (stage) => {
      const { history } = stage;
      const { describeEvaluation } = await import("../../../eval/describe-evaluation.js");
      const { evaluationWire } = await import("../../../eval/evaluation-document.js");
      const { measurableRun, thresholdsFor, whyUndecided } = await import(
        "../../../workbench/evaluation/measurable-run.js"
      );
      const { evaluateWithProgress } = await import("../../../workbench/evaluation/evaluate-run.js");
      const { holdGates, readGates } = await import("../../../workbench/evaluation/hold-gates.js");
      const rules = readGates(args.gate, args.baseline);
      const run = measurableRun(history, args.run);
      const choice = { calibrationId: args.calibration, threshold: args.minConfidence };
      const calibration = args.uncalibrated ? null : thresholdsFor(history, run, choice);
      const undecided = calibration === null && !args.uncalibrated ? whyUndecided(history, run) : null;
      const evaluation = evaluateWithProgress(stage, run, { fold: args.fold, calibration });
      const { fold, baseline } = args;
      const gates = holdGates(history, { gates: rules, runId: run.sha256, thresholds: choice, fold, baseline });
      const parts = {
        schema: "eval-show@1",
        result: evaluationWire(evaluation),
        lines: describeEvaluation(evaluation, { all: args.all }),
        warnings: undecided === null ? [] : [`${undecided} No thresholds decide.`],
        next:
          calibration === null && run.document.kind !== "imported"
            ? [context.nextLine("calibrate", "fit", "--run", shortId(run.sha256))]
            : [],
        gates,
      };
      return gatedResult(parts, { suite: "sluice eval show", junit: args.junit });
    }),
});
