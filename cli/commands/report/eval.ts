import { defineCommand } from "../../command.js";
import { gatedResult, gateOptions } from "../../gate-options.js";
import { flag, optional } from "../../options.js";
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
    "with-texts": flag("show the texts of requests in the explorer; whoever has the file can read them"),
    out: optional(path, "file ending in .html, .md or .json; report.html of the workspace when absent"),
  },
  examples: [
    ["sluice report eval", "one HTML page that needs no network"],
    ["sluice report eval --calibration 3f9c01ab --out report.md", "another calibration, as Markdown"],
  ],
  run: async (context, { run, calibration, fold, out, gate, baseline, junit, withTexts }) => {
    const { writeReport } = await import("../../../workbench/use-cases/write-report.js");
    const { holdGates, readGates } = await import("../../../workbench/evaluation/hold-gates.js");
    const gates = readGates(gate, baseline);
    const written = await writeReport(context, { run, calibration, fold, file: out, withTexts });
    const { file, verdict, sentence, runId, calibrationId } = written;
    const thresholds = calibrationId === null ? {} : { calibrationId };
    const held = await withHistory(context, "read", async ({ history }) =>
      holdGates(history, { gates, runId, thresholds, fold, baseline }),
    );
    const parts = {
      schema: "report-eval@1",
      result: {
        file,
        report: written.reportId,
        media: written.media,
        evaluation: written.evaluationId,
        verdict,
        sentence,
      },
      lines: fields([
        ["report", shortId(written.reportId)],
        ["file", file],
        ["verdict", `${verdict}: ${sentence}`],
      ]),
      warnings: written.warnings,
      next:
        calibrationId !== null
          ? [context.nextLine("manifest", "create", "--producer", "NAME", "--key", "FILE")]
          : [context.nextLine("calibrate", "fit", "--run", shortId(runId))],
      gates: held,
    };
    return gatedResult(parts, { suite: "sluice report eval", junit });
  },
});
