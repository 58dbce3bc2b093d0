import { shortId } from "../../../src/base/text.js";
import type { WorkOf } from "../../command.js";
import type { evalShowSpec } from "../../specs/eval.js";
import { describeEvaluation } from "../../../reports/text/evaluation-text.js";
import { measureRun } from "../../../stages/score.js";

export const evalShow: WorkOf<typeof evalShowSpec> = async (context, args, { junit }) => {
  const measured = await measureRun(context, args);
  const { runId, note, imported, evaluation, undecided, claimNote, kinds, gates } = measured;
  const isUndecided = evaluation.calibration_sha256 === null && args.minConfidence === undefined;
  const fit = context.next("calibrate", "fit", "--run", shortId(runId));
  return {
    result: evaluation,
    lines: [
      ...(note === null ? [] : [`  note         ${note}`]),
      ...describeEvaluation(evaluation, claimNote),
      ...(kinds.length === 0 ? [] : ["", ...kinds]),
    ],
    warnings: [
      ...(undecided === null ? [] : [`${undecided} No thresholds apply.`]),
      ...(claimNote === "" ? [] : [claimNote]),
    ],
    next: isUndecided && !imported ? [fit] : [],
    gates,
    gateReport: { junit },
  };
};
