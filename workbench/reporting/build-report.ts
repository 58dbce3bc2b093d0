import { shownFold } from "../../eval/shown-fold.js";
import { identityCurve } from "../../calibrate/calibrator-families.js";
import { confusionPairs } from "../../eval/requests/confusion-pairs.js";
import { decideRequests } from "../../eval/requests/decided-request.js";
import type { ReportModel } from "../../reports/report-model.js";
import { buildReportModel } from "../../reports/view-model.js";
import { sha256Hex } from "../../src/digest/sha256.js";
import type { Calibration } from "../../src/domain/calibration.js";
import type { Fold } from "../../src/domain/choices.js";
import type { Run } from "../../src/domain/scored-record.js";
import { baselinesOfRun } from "../evaluation/baselines-of-run.js";
import { guardsOfRun } from "../evaluation/guards-of-run.js";
import { evaluationOf } from "../evaluation/evaluate-run.js";
import { requireThresholdsOf } from "../evaluation/measurable-run.js";
import { textsOfRun } from "../evaluation/request-texts.js";
import type { History } from "../history/open.js";
import { listEntries } from "../history/read.js";
import { type Kept, readCalibration, readCatalog, readRun, readScoredRecords } from "../records/read-records.js";
import { shortId } from "../records/short-id.js";
import { reportedRequests } from "./reported-requests.js";

export interface BuildReportOptions {
  readonly runId?: string;
  readonly calibrationId?: string;
  /** EVAL by default: the numbers of another fold show less, and the report says so. */
  readonly fold?: Fold | "all";
  /** Whether the explorer shows the texts of requests. Default false. */
  readonly withTexts?: boolean;
}

/** The run and the calibration to report; no calibration when the history has none for the run. */
interface ReportSubject {
  readonly run: Kept<Run>;
  readonly calibration: Kept<Calibration> | null;
}

/** A report and its evaluation; neither is saved. */
export interface BuiltReport extends ReportSubject {
  readonly evaluationBytes: Buffer;
  readonly model: ReportModel;
}

/**
 * Builds the report of one fold of a run from stored records, next to the baselines. Saves nothing.
 * @throws {SluiceError} RECORD_NOT_FOUND, CALIBRATION_INVALID (of other identities)
 */
export async function buildReport(history: History, options: BuildReportOptions): Promise<BuiltReport> {
  const { run, calibration } = subjectOf(history, options);
  const records = readScoredRecords(history, run);
  const fold = shownFold(records, options.fold ?? "eval");
  const thresholds = calibration?.document ?? null;
  const guards = guardsOfRun(history, { document: run.document, records }, fold);
  const { bytes, document } = evaluationOf({ run, guards, records, calibration, fold });
  const baselines = await baselinesOfRun(history, {
    document: run.document,
    records,
    fold,
    calibrator: thresholds?.calibrator ?? identityCurve,
  });
  const decided = decideRequests(records, { thresholds, topK: run.document.topK, fold });
  const model = buildReportModel({
    evaluation: document,
    runVersion: run.document.schemaVersion,
    calibration: thresholds,
    catalog: readCatalog(history, run.document.catalogSha256).document,
    lineage: lineageOf(sha256Hex(bytes), run, calibration),
    baselines,
    confusions: confusionPairs(decided),
    requests: reportedRequests(decided, { thresholds, texts: textsOf(history, run, options) }),
    generatedFor: thresholds?.calibrationVersion ?? `run ${shortId(run.sha256)}, no calibration`,
  });
  return { run, calibration, evaluationBytes: bytes, model };
}

function subjectOf(history: History, { runId, calibrationId }: BuildReportOptions): ReportSubject {
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

function textsOf(history: History, run: Kept<Run>, { withTexts = false }: BuildReportOptions) {
  return withTexts ? textsOfRun(history, run) : null;
}

function lineageOf(evaluation: string, run: Kept<Run>, calibration: Kept<Calibration> | null) {
  const { datasetSha256: dataset, splitSha256: split, catalogSha256: catalog } = run.document;
  return { evaluation, run: run.sha256, calibration: calibration?.sha256 ?? null, dataset, split, catalog };
}
