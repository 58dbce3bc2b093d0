import { defineCommand } from "../../command.js";
import { gatedResult, gateOptions } from "../../gate-options.js";
import { optional } from "../../options.js";
import { id, path } from "../../parsers.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { fields } from "../../table.js";
import { foldOption } from "../eval/run-options.js";

export const reportEval = defineCommand({
  name: ["report", "eval"],
  describe: "Write the evaluation report of a run: HTML, Markdown or JSON by the ending of the file",
  positionals: {},
  options: {
    calibration: optional(id, "calibration; the latest, or the latest of the run, when absent"),
    run: optional(id, "run; that of the calibration, or the latest, when absent"),
    fold: foldOption("fold to report; a report of another fold than EVAL says so"),
    ...gateOptions,
    out: optional(path, "file ending in .html, .md or .json; report.html of the workspace when absent"),
  },
  examples: [
    ["sluice report eval", "one HTML page that needs no network"],
    ["sluice report eval --calibration 3f9c01ab --out report.md", "another calibration, as Markdown"],
  ],
  run: (context, args) =>
    withHistory(context, "write", async (stage) => {
      const { keepReport } = await import("../../../workbench/reporting/keep-report.js");
      const { holdGates, readGates } = await import("../../../workbench/evaluation/hold-gates.js");
      const { fold, baseline } = args;
      const rules = readGates(args.gate, baseline);
      const file = args.out ?? context.workspace.report;
      const kept = await keepReport(stage, {
        file,
        fold,
        ...(args.run === undefined ? {} : { runId: args.run }),
        ...(args.calibration === undefined ? {} : { calibrationId: args.calibration }),
      });
      const { verdict, sentence } = kept.model.overall;
      const thresholds = kept.calibrationId === null ? {} : { calibrationId: kept.calibrationId };
      const gates = holdGates(stage.history, { gates: rules, runId: kept.runId, thresholds, fold, baseline });
      const parts = {
        schema: "report-eval@1",
        result: {
          file,
          report: kept.reportId,
          media: kept.media,
          evaluation: kept.evaluationId,
          verdict,
          sentence,
        },
        lines: fields([
          ["report", shortId(kept.reportId)],
          ["file", file],
          ["verdict", `${verdict}: ${sentence}`],
        ]),
        warnings: kept.model.warnings,
        next:
          kept.calibrationId !== null
            ? [context.nextLine("manifest", "create", "--producer", "NAME", "--key", "FILE")]
            : [context.nextLine("calibrate", "fit", "--run", shortId(kept.runId))],
        gates,
      };
      return gatedResult(parts, { suite: "sluice report eval", junit: args.junit });
    }),
});
