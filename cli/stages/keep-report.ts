import { identityCurve } from "../../calibrate/calibrator-families.js";
import type { ReportModel } from "../../reports/report-model.js";
import { buildReportModel } from "../../reports/view-model.js";
import type { Calibration } from "../../src/domain/calibration.js";
import type { Run } from "../../src/domain/scored-record.js";
import type { History } from "../../src/history/open.js";
import { listEntries } from "../../src/history/read.js";
import { baselinesOfRun } from "./baselines-of-run.js";
import { evaluateRun } from "./evaluate-run.js";
import { requireThresholdsOf } from "./measurable-run.js";
import { type Kept, readCalibration, readCatalog, readRun, readScoredRecords } from "./read-records.js";
import { rendererFor, writeReportFile } from "./report-file.js";
import { keepRecord, type Stage } from "./stage.js";
import { shortId } from "../short-id.js";

export interface KeepReportOptions {
  readonly runId?: string;
  readonly calibrationId?: string;
  /** Its ending decides the form: .html, .md or .json. */
  readonly file: string;
}

export interface KeptReport {
  readonly reportId: string;
  readonly evaluationId: string;
  readonly runId: string;
  readonly calibrated: boolean;
  readonly media: string;
  readonly model: ReportModel;
}

/** The run and the calibration to report; no calibration when the history has none for the run. */
interface ReportSubject {
  readonly run: Kept<Run>;
  readonly calibration: Kept<Calibration> | null;
}

/**
 * Renders the EVAL fold of a run from stored records, beside the baselines, writes the file whole or not at all, and keeps the report.
 * @throws {SluiceError} USAGE (another ending), RECORD_NOT_FOUND, CALIBRATION_INVALID (of other identities), WRITE_FAILED
 */
export async function keepReport(stage: Stage, options: KeepReportOptions): Promise<KeptReport> {
  const render = rendererFor(options.file);
  const { run, calibration } = subjectOf(stage.history, options);
  const evaluation = evaluateRun(stage, {
    runId: run.sha256,
    ...(calibration === null ? {} : { calibrationId: calibration.sha256 }),
    fold: "eval",
  });
  const baselines = await baselinesOfRun(stage.history, {
    document: run.document,
    records: readScoredRecords(stage.history, run),
    fold: "eval",
    calibrator: calibration?.document.calibrator ?? identityCurve,
  });
  const model = buildReportModel({
    evaluation: evaluation.document,
    calibration: calibration?.document ?? null,
    catalog: readCatalog(stage.history, run.document.catalogSha256).document,
    lineage: lineageOf(evaluation.sha256, run, calibration),
    baselines,
    generatedFor: calibration?.document.calibrationVersion ?? `run ${shortId(run.sha256)}, no calibration`,
  });
  const content = await render(model);
  await writeReportFile(options.file, content.bytes);
  const { sha256 } = keepRecord(stage, "report", content.bytes);
  return {
    reportId: sha256,
    evaluationId: evaluation.sha256,
    runId: run.sha256,
    calibrated: calibration !== null,
    media: content.media,
    model,
  };
}

function subjectOf(history: History, { runId, calibrationId }: KeepReportOptions): ReportSubject {
  if (calibrationId !== undefined) {
    const calibration = readCalibration(history, calibrationId);
    const run = readRun(history, runId ?? calibration.document.digests.run);
    return { run, calibration: requireThresholdsOf(history, calibration, run) };
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
