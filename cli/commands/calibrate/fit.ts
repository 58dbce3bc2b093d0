import { defineCommand } from "../../command.js";
import { optional } from "../../options.js";
import { id, text } from "../../parsers.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { choicesOf, claimMeanings, claimOptions } from "./claim-options.js";

export const calibrateFit = defineCommand({
  name: ["calibrate", "fit"],
  describe: "Fit and certify the thresholds that a claim holds at; what the evidence cannot show abstains",
  positionals: {},
  options: {
    run: optional(id, "run; the latest when absent"),
    ...claimOptions,
    name: optional(text, "calibration version; made from the run when absent"),
  },
  examples: [
    ["sluice calibrate fit --target 0.1", "when it routes, at most 10 % of the routes are wrong"],
    [
      "sluice calibrate fit --target 0.1 --require-tier critical=0.05",
      "and tier critical holds 5 % by itself, or abstains",
    ],
  ],
  run: (context, args) =>
    withHistory(context, "write", async (stage) => {
      const { fitThresholds } = await import("../../../workbench/calibration/fit-thresholds.js");
      const { readRun } = await import("../../../workbench/records/read-records.js");
      const { describeCalibration } = await import("../../../calibrate/describe-calibration.js");
      const { describeEvaluation } = await import("../../../eval/describe-evaluation.js");
      const { evaluationWire } = await import("../../../eval/evaluation-document.js");
      const run = readRun(stage.history, args.run);
      const { calibration, evaluation, declinedWorkflows, otherClaims, milliseconds } = await fitThresholds(stage, {
        runId: run.sha256,
        ...choicesOf(args),
        version: args.name ?? `calibration-${shortId(run.sha256)}`,
      });
      const other = otherClaims();
      return commandResult({
        schema: "calibrate-fit@1",
        result: {
          calibration: calibration.sha256,
          document: JSON.parse(calibration.bytes.toString("utf8")) as unknown,
          other_claim: other,
          declined_workflows: declinedWorkflows,
          evaluation: evaluationWire(evaluation.document),
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
      });
    }),
});

const shownDeclined = 5;

function declinedWarning(workflows: readonly string[]): readonly string[] {
  if (workflows.length === 0) return [];
  const more =
    workflows.length > shownDeclined ? ` and ${workflows.length - shownDeclined} more (--json lists all)` : "";
  const named = workflows.slice(0, shownDeclined).join(", ");
  return [`${workflows.length} workflows of the catalog have no tested request and are declined: ${named}${more}`];
}
