import { defineCommand } from "../../command.js";
import { optional } from "../../options.js";
import { id, path } from "../../parsers.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";

export const reportEval = defineCommand({
  name: ["report", "eval"],
  describe: "Write the evaluation report of a run: HTML, Markdown or JSON by the ending of the file",
  positionals: {},
  options: {
    calibration: optional(id, "calibration; the latest, or the latest of the run, when absent"),
    run: optional(id, "run; that of the calibration, or the latest, when absent"),
    out: optional(path, "file ending in .html, .md or .json; report.html of the workspace when absent"),
  },
  examples: [
    ["sluice report eval", "one HTML page that needs no network"],
    ["sluice report eval --calibration 3f9c01ab --out report.md", "another calibration, as Markdown"],
  ],
  run: async (context, { run, calibration, out }) => {
    const { writeReport } = await import("../../../workbench/use-cases/write-report.js");
    const written = await writeReport(context, { run, calibration, file: out });
    const { file, verdict, sentence } = written;
    return commandResult({
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
      next: written.calibrated
        ? [context.nextLine("manifest", "create", "--producer", "NAME", "--key", "FILE")]
        : [context.nextLine("calibrate", "fit", "--run", shortId(written.runId))],
    });
  },
});
