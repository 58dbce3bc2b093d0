import { identityCurve } from "../../calibrate/calibrator-families.js";
import { confusionPairs } from "../../eval/requests/confusion-pairs.js";
import { decideRequests } from "../../eval/requests/decided-request.js";
import type { ReportModel } from "../../reports/report-model.js";
import { buildReportModel } from "../../reports/view-model.js";
import type { Calibration } from "../../src/domain/calibration.js";
import type { Run } from "../../src/domain/scored-record.js";
import type { Fold } from "../../src/domain/choices.js";
import type { History } from "../history/open.js";
import { listEntries } from "../history/read.js";
import { baselinesOfRun } from "../evaluation/baselines-of-run.js";
import { textsOfRun } from "../evaluation/request-texts.js";
import { evaluateRun } from "../evaluation/evaluate-run.js";
import { requireThresholdsOf } from "../evaluation/measurable-run.js";
import { type Kept, readCalibration, readCatalog, readRun, readScoredRecords } from "../records/read-records.js";
import { rendererFor, writeReportFile } from "./report-file.js";
import { reportedRequests } from "./reported-requests.js";
import { keepRecord, type Stage } from "../records/stage.js";
import { shortId } from "../records/short-id.js";

export interface KeepReportOptions {
  readonly runId?: string;
  readonly calibrationId?: string;
  /** EVAL by default: the numbers of another fold show less, and the report says so. */
  readonly fold?: Fold | "all";
  /** Whether the explorer shows the texts of requests. Default false. */
  readonly withTexts?: boolean;
  /** Its ending decides the form: .html, .md or .json. */
  readonly file: string;
}

export interface KeptReport {
  readonly reportId: string;
  readonly evaluationId: string;
  readonly runId: string;
  /** null: no thresholds decide. */
  readonly calibrationId: string | null;
  readonly media: string;
  readonly model: ReportModel;
}

/** The run and the calibration to report; no calibration when the history has none for the run. */
interface ReportSubject {
  readonly run: Kept<Run>;
  readonly calibration: Kept<Calibration> | null;
}

/**
 * Renders one fold of a run from stored records, beside the baselines, writes the file whole or not at all, and keeps the report.
 * @throws {SluiceError} USAGE (another ending), RECORD_NOT_FOUND, CALIBRATION_INVALID (of other identities), WRITE_FAILED
 */
export async function keepReport(stage: Stage, options: KeepReportOptions): Promise<KeptReport> {
  const render = rendererFor(options.file);
  const { fold = "eval" } = options;
  const { run, calibration } = subjectOf(stage.history, options);
  const evaluation = evaluateRun(stage, {
    runId: run.sha256,
    ...(calibration === null ? {} : { calibrationId: calibration.sha256 }),
    fold,
  });
  const records = readScoredRecords(stage.history, run);
  const thresholds = calibration?.document ?? null;
  const baselines = await baselinesOfRun(stage.history, {
    document: run.document,
    records,
    fold,
    calibrator: thresholds?.calibrator ?? identityCurve,
  });
  const decided = decideRequests(records, { thresholds, topK: run.document.topK, fold });
  const model = buildReportModel({
    evaluation: evaluation.document,
    calibration: thresholds,
    catalog: readCatalog(stage.history, run.document.catalogSha256).document,
    lineage: lineageOf(evaluation.sha256, run, calibration),
    baselines,
    confusions: confusionPairs(decided),
    requests: reportedRequests(decided, { thresholds, texts: textsOf(stage.history, run, options) }),
    generatedFor: thresholds?.calibrationVersion ?? `run ${shortId(run.sha256)}, no calibration`,
  });
  const content = await render(model);
  await writeReportFile(options.file, content.bytes);
  const { sha256 } = keepRecord(stage, "report", content.bytes);
  return {
    reportId: sha256,
    evaluationId: evaluation.sha256,
    runId: run.sha256,
    calibrationId: calibration?.sha256 ?? null,
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

function textsOf(history: History, run: Kept<Run>, { withTexts = false }: KeepReportOptions) {
  return withTexts ? textsOfRun(history, run) : null;
}

function lineageOf(evaluation: string, run: Kept<Run>, calibration: Kept<Calibration> | null) {
  const { datasetSha256: dataset, splitSha256: split, catalogSha256: catalog } = run.document;
  return { evaluation, run: run.sha256, calibration: calibration?.sha256 ?? null, dataset, split, catalog };
}
