import { defaultResamples, evaluateRecords } from "../eval/metrics/evaluate.js";
import { evaluationBytes, type Evaluation } from "../src/documents/evaluation.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import type { Fold } from "../src/documents/choices.js";
import { shownFold } from "../eval/shown-fold.js";
import { decidedBy, type ChosenThresholds, type MeasurableRun } from "./evaluate/measurable-run.js";
import { type Stored, readCalibration, readRun, readScoredRecords } from "../store/records/read-records.js";
import { saveRecord, type Session } from "../store/records/session.js";

export interface EvaluateRunOptions {
  readonly runId?: string;
  /** Calibration with the thresholds. Without thresholds, only metrics that need none are computed. */
  readonly calibrationId?: string;
  readonly fold: Fold | "all";
  /** The scored records of the run, if already read. */
  readonly records?: readonly ScoredRecord[];
}

/** Computes every metric of one fold of a run and reports progress. Saves nothing. */
export function evaluateWithProgress(
  { context: { progress } }: Session,
  run: MeasurableRun,
  options: Pick<EvaluateRunOptions, "fold"> & { readonly calibration: ChosenThresholds | null },
): Evaluation {
  progress.start("resampling", defaultResamples);
  const evaluation = evaluateRecords({
    records: run.records,
    runSha256: run.sha256,
    topK: run.document.top_k,
    fold: shownFold(run.records, options.fold),
    calibration: options.calibration,
    onProgress: (step, done) => (step === "resamples" ? progress.update(done) : undefined),
  });
  progress.done();
  return evaluation;
}

interface EvaluationQuestion {
  readonly run: Omit<MeasurableRun, "records">;
  readonly records: readonly ScoredRecord[];
  readonly calibration: ChosenThresholds | null;
  readonly fold: Fold | "all";
}

export function evaluationOf({ run, records, calibration, fold }: EvaluationQuestion): {
  readonly bytes: Buffer;
  readonly document: Evaluation;
} {
  const shown = shownFold(records, fold);
  const document = evaluateRecords({
    records,
    runSha256: run.sha256,
    topK: run.document.top_k,
    fold: shown,
    calibration,
  });
  return { bytes: evaluationBytes(document), document };
}

/** Computes every metric of one fold from the stored records of a run, and saves the evaluation. */
export function evaluateRun(session: Session, options: EvaluateRunOptions): Stored<Evaluation> {
  const run = readRun(session.history, options.runId);
  const calibration =
    options.calibrationId === undefined
      ? null
      : decidedBy(session.history, readCalibration(session.history, options.calibrationId), run);
  const records = options.records ?? readScoredRecords(session.history, run);
  const { fold } = options;
  const { bytes, document } = evaluationOf({ run, records, calibration, fold });
  const { sha256 } = saveRecord(session, "evaluation", bytes);
  return { sha256, bytes, document };
}
