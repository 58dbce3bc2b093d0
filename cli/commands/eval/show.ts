import { gatedResult } from "../../gated-result.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { shortId } from "../../../workbench/records/short-id.js";
import type { WorkOf } from "../../command.js";
import type { evalShowShape } from "../../shapes/eval.js";
import { describeEvaluation } from "../../../eval/describe-evaluation.js";
import { evaluationWire } from "../../../eval/evaluation-document.js";
import { measurableRun, thresholdsFor, whyUndecided } from "../../../workbench/evaluation/measurable-run.js";
import { evaluateWithProgress } from "../../../workbench/evaluation/evaluate-run.js";
import { holdGates, readGates } from "../../../workbench/evaluation/hold-gates.js";

export const evalShow: WorkOf<typeof evalShowShape> = (context, args) =>
  withHistory(context, "read", async (stage) => {
    const { history } = stage;
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
      warnings: undecided === null ? [] : [`${undecided} No thresholds apply.`],
      next:
        calibration === null && run.document.kind !== "imported"
          ? [context.nextLine("calibrate", "fit", "--run", shortId(run.sha256))]
          : [],
      gates,
    };
    return gatedResult(parts, { suite: "sluice eval show", junit: args.junit });
  });
