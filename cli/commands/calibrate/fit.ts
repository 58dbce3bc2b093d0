import { counted } from "../../../src/documents/number-text.js";
import { signNext } from "../../context.js";
import { shortId } from "../../../src/base/text.js";
import { fields } from "../../table.js";
import { claimMeanings } from "../../../stages/options/calibrate.js";
import type { WorkOf } from "../../command.js";
import type { calibrateFitSpec } from "../../specs/calibrate.js";
import { calibrateRun } from "../../../stages/fit.js";
import { describeCalibration } from "../../../reports/text/calibration-text.js";
import { describeEvaluation } from "../../../reports/text/evaluation-text.js";
import { adviceOf } from "../../../reports/text/plan-text.js";

export const calibrateFit: WorkOf<typeof calibrateFitSpec> = async (context, args) => {
  const fitted = await calibrateRun(context, args);
  const { document: calibration, evaluation, declined_workflows: declinedWorkflows, other_claim: other } = fitted;
  return {
    result: fitted,
    lines: [
      ...fields([
        ["calibration", shortId(fitted.calibration)],
        ["claim", `${args.claim} (${claimMeanings[args.claim]})`],
      ]),
      "",
      ...describeCalibration(calibration),
      `Under --claim ${other.claim}: ${other.sentences.join(" ")}`,
      "",
      ...describeEvaluation(evaluation),
    ],
    warnings: [...calibration.warnings, ...adviceOf(calibration), ...declinedWarning(declinedWorkflows)],
    next: [context.next("report", "eval"), signNext(context)],
  };
};

const shownDeclined = 5;

function declinedWarning(workflows: readonly string[]): readonly string[] {
  if (workflows.length === 0) return [];
  const more =
    workflows.length > shownDeclined ? ` and ${workflows.length - shownDeclined} more (--json lists all)` : "";
  const named = workflows.slice(0, shownDeclined).join(", ");
  return [
    `${counted(workflows.length, "workflow")} of the catalog had no tested request and will be declined: ${named}${more}`,
  ];
}
