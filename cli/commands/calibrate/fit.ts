import { counted } from "../../../src/documents/number-text.js";
import { withHistory } from "../../../store/records/with-history.js";
import { shortId } from "../../../store/records/short-id.js";
import { fields } from "../../table.js";
import { choicesOf, claimMeanings } from "./claim-options.js";
import type { WorkOf } from "../../command.js";
import type { calibrateFitSpec } from "../../specs/calibrate.js";
import { fitThresholds } from "../../../stages/fit/fit-thresholds.js";
import { readRun } from "../../../store/records/read-records.js";
import { describeCalibration } from "../../../calibrate/describe-calibration.js";
import { describeEvaluation } from "../../../eval/describe-evaluation.js";

export const calibrateFit: WorkOf<typeof calibrateFitSpec> = (context, args) =>
  withHistory(context, "write", async (session) => {
    const run = readRun(session.history, args.run);
    const { calibration, evaluation, declinedWorkflows, otherClaims, milliseconds } = await fitThresholds(session, {
      runId: run.sha256,
      ...choicesOf(args),
      background: args.background,
      version: args.name ?? `calibration-${shortId(run.sha256)}`,
    });
    const other = otherClaims();
    return {
      result: {
        calibration: calibration.sha256,
        document: JSON.parse(calibration.bytes.toString("utf8")) as unknown,
        other_claim: other,
        declined_workflows: declinedWorkflows,
        evaluation: evaluation.document,
        milliseconds,
      },
      lines: [
        ...fields([
          ["calibration", shortId(calibration.sha256)],
          ["claim", `${args.claim} (${claimMeanings[args.claim]})`],
        ]),
        "",
        ...describeCalibration(calibration.document),
        `Under --claim ${other.claim}: ${other.sentences.join(" ")}`,
        "",
        ...describeEvaluation(evaluation.document),
      ],
      warnings: [...calibration.document.warnings, ...declinedWarning(declinedWorkflows)],
      next: [
        context.nextLine("report", "eval"),
        context.nextLine("manifest", "create", "--producer", "NAME", "--key", "FILE"),
      ],
    };
  });

const shownDeclined = 5;

function declinedWarning(workflows: readonly string[]): readonly string[] {
  if (workflows.length === 0) return [];
  const more =
    workflows.length > shownDeclined ? ` and ${workflows.length - shownDeclined} more (--json lists all)` : "";
  const named = workflows.slice(0, shownDeclined).join(", ");
  return [
    `${counted(workflows.length, "workflow")} of the catalog without a tested request, so declined: ${named}${more}`,
  ];
}
