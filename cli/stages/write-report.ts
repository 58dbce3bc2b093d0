import { writeFile } from "node:fs/promises";
import { renderEvaluationReport } from "../../reports/evaluation-report.js";
import { renderEvaluationMarkdown } from "../../reports/markdown.js";
import { buildReportModel } from "../../reports/view-model.js";
import { SluiceError } from "../../src/errors/error.js";
import { readCalibration, readCatalog, readEvaluationOf } from "./read-records.js";
import { keepRecord, media, type Stage } from "./stage.js";

export type ReportFormat = "html" | "md" | "json";

export interface WriteReportOptions {
  readonly calibrationId?: string;
  readonly file: string;
  readonly format: ReportFormat;
  /** Shown below the title. */
  readonly generatedFor: string;
}

const mediaOf: Readonly<Record<ReportFormat, string>> = { html: media.html, md: "text/markdown", json: media.json };

/** Renders the EVAL fold of a calibration from stored records, writes the file and keeps it. */
export async function writeReport(stage: Stage, options: WriteReportOptions): Promise<{ readonly reportId: string }> {
  const calibration = readCalibration(stage.history, options.calibrationId);
  const evaluation = readEvaluationOf(stage.history, calibration.sha256);
  const { digests } = calibration.document;
  const model = buildReportModel({
    evaluation: evaluation.document,
    calibration: calibration.document,
    catalog: readCatalog(stage.history, digests.catalog).document,
    lineage: {
      evaluation: evaluation.sha256,
      run: digests.run,
      calibration: calibration.sha256,
      dataset: digests.dataset,
      split: digests.split,
      catalog: digests.catalog,
    },
    generatedFor: options.generatedFor,
  });
  const content = { html: renderEvaluationReport, md: renderEvaluationMarkdown, json: () => evaluation.bytes };
  const bytes = Buffer.from(await content[options.format](model));
  await writeFile(options.file, bytes).catch((cause: NodeJS.ErrnoException) => {
    throw new SluiceError(
      "WRITE_FAILED",
      `${options.file}: the report cannot be written (${cause.code ?? "no code"})`,
      {
        hint: "Choose another file with --out.",
        cause,
      },
    );
  });
  const { sha256 } = keepRecord(stage, "report", { bytes, media: mediaOf[options.format] });
  return { reportId: sha256 };
}
