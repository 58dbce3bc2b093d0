import { sha256Hex } from "../../../src/digest/sha256.js";
import type { Calibration } from "../../../src/domain/calibration.js";
import type { Run } from "../../../src/domain/scored-record.js";
import type { History } from "../../../src/history/open.js";
import { defineCommand } from "../../command.js";
import { optional } from "../../options.js";
import { id, path } from "../../parsers.js";
import { shortId, withHistory } from "../../records.js";
import { commandResult } from "../../result.js";
import type { Kept } from "../../stages/read-records.js";
import { fields } from "../../table.js";
import { rendererFor, writeReport } from "./write-report.js";

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
  run: (context, args) => {
    const file = args.out ?? context.workspace.report;
    const render = rendererFor(file);
    return withHistory(context, "write", async (stage) => {
      const { evaluateRun } = await import("../../stages/evaluate-run.js");
      const { readCatalog } = await import("../../stages/read-records.js");
      const { keepRecord } = await import("../../stages/stage.js");
      const { buildReportModel } = await import("../../../reports/view-model.js");
      const { run, calibration } = await subjectOf(stage.history, args.run, args.calibration);
      const evaluation = evaluateRun(stage, {
        runId: run.sha256,
        ...(calibration === null ? {} : { calibrationId: calibration.sha256 }),
        fold: "eval",
      });
      const model = buildReportModel({
        evaluation: evaluation.document,
        calibration: calibration?.document ?? null,
        catalog: readCatalog(stage.history, run.document.catalogSha256).document,
        lineage: lineageOf(evaluation.sha256, run, calibration),
        generatedFor: calibration?.document.calibrationVersion ?? `run ${shortId(run.sha256)}, no calibration`,
      });
      const content = await render(model);
      await writeReport(file, content.bytes);
      keepRecord(stage, "report", content);
      const report = sha256Hex(content.bytes);
      const { verdict, sentence } = model.overall;
      return commandResult({
        schema: "report-eval@1",
        result: { file, report, media: content.media, evaluation: evaluation.sha256, verdict, sentence },
        lines: fields([
          ["report", shortId(report)],
          ["file", file],
          ["verdict", `${verdict}: ${sentence}`],
        ]),
        warnings: model.warnings,
        next:
          calibration === null
            ? [context.nextLine("calibrate", "fit", "--run", shortId(run.sha256))]
            : [context.nextLine("manifest", "create", "--producer", "NAME", "--key", "FILE")],
      });
    });
  },
});

interface ReportSubject {
  readonly run: Kept<Run>;
  readonly calibration: Kept<Calibration> | null;
}

/** The run and the calibration to report; no calibration when the history has none for the run. */
async function subjectOf(
  history: History,
  runId: string | undefined,
  calibrationId: string | undefined,
): Promise<ReportSubject> {
  const { listEntries } = await import("../../../src/history/read.js");
  const { readCalibration, readRun } = await import("../../stages/read-records.js");
  if (calibrationId !== undefined) {
    const calibration = readCalibration(history, calibrationId);
    return { run: readRun(history, runId ?? calibration.document.digests.run), calibration };
  }
  const named = runId === undefined ? undefined : readRun(history, runId);
  const calibration = listEntries(history, { kind: "calibration" })
    .map(({ sha256 }) => readCalibration(history, sha256))
    .findLast(({ document }) => named === undefined || document.digests.run === named.sha256);
  if (calibration === undefined) return { run: named ?? readRun(history), calibration: null };
  return { run: named ?? readRun(history, calibration.document.digests.run), calibration };
}

function lineageOf(evaluation: string, run: Kept<Run>, calibration: Kept<Calibration> | null) {
  const { datasetSha256: dataset, splitSha256: split, catalogSha256: catalog } = run.document;
  return { evaluation, run: run.sha256, calibration: calibration?.sha256 ?? null, dataset, split, catalog };
}
