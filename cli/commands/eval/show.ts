import { withHistory } from "../../../store/records/with-history.js";
import { shortId } from "../../../src/base/text.js";
import type { WorkOf } from "../../command.js";
import type { evalShowSpec } from "../../specs/eval.js";
import { describeEvaluation } from "../../../reports/text/evaluation-text.js";
import { measureRun } from "../../../stages/score.js";
import { holdGates, readGates } from "../../../stages/evaluate/hold-gates.js";

export const evalShow: WorkOf<typeof evalShowSpec> = async (context, args) => {
  const { run, calibration, minConfidence, uncalibrated, fold, baseline } = args;
  const rules = readGates(args.gate, baseline);
  const measured = await measureRun(context, { run, calibration, minConfidence, uncalibrated, fold });
  const { runId, imported, evaluation, undecided } = measured;
  const thresholds = { calibrationId: calibration, threshold: minConfidence };
  const gates = await withHistory(context, "read", async ({ history }) =>
    holdGates(history, { gates: rules, runId, thresholds, fold, baseline }),
  );
  const isUndecided = evaluation.calibration_sha256 === null && minConfidence === undefined;
  const fit = context.nextLine("calibrate", "fit", "--run", shortId(runId));
  return {
    result: evaluation,
    lines: describeEvaluation(evaluation, { all: args.all }),
    warnings: undecided === null ? [] : [`${undecided} No thresholds apply.`],
    next: isUndecided && !imported ? [fit] : [],
    gates,
    gateReport: args,
  };
};
