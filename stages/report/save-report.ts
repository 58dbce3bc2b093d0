import type { ReportModel } from "../../reports/report-model.js";
import { isImported } from "../../store/records/read-records.js";
import { saveRecord, type Session } from "../../store/records/session.js";
import { buildReport, type BuildReportOptions } from "./build-report.js";
import { rendererFor, writeReportFile } from "./report-file.js";

export interface SaveReportOptions extends BuildReportOptions {
  /** File whose extension sets the format: .html, .md or .json. */
  readonly file: string;
}

export interface StoredReport {
  readonly reportId: string;
  readonly evaluationId: string;
  readonly runId: string;
  /** Whether the predictions were imported. */
  readonly imported: boolean;
  /** null: no thresholds. */
  readonly calibrationId: string | null;
  readonly media: string;
  readonly model: ReportModel;
}

/**
 * Renders the report of one fold of a run from stored records, writes the file atomically, and saves the report.
 * @throws {SluiceError} USAGE (extension), RECORD_NOT_FOUND, CALIBRATION_INVALID (different identities), WRITE_FAILED
 */
export async function saveReport(session: Session, options: SaveReportOptions): Promise<StoredReport> {
  const render = rendererFor(options.file);
  const { run, calibration, evaluationBytes, model } = await buildReport(session.history, options);
  const evaluation = saveRecord(session, "evaluation", evaluationBytes);
  const content = await render(model);
  await writeReportFile(options.file, content.bytes);
  const { sha256 } = saveRecord(session, "report", content.bytes);
  return {
    reportId: sha256,
    evaluationId: evaluation.sha256,
    runId: run.sha256,
    imported: isImported(run.document),
    calibrationId: calibration?.sha256 ?? null,
    media: content.media,
    model,
  };
}
