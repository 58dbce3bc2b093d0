import { defaultResamples, evaluateRecords } from "../../eval/metrics/evaluate.js";
import { canonicalBytes } from "../../src/digest/canonical-json.js";
import type { DetailedEvaluation } from "../../src/domain/evaluation.js";
import type { Fold } from "../../src/domain/split.js";
import type { Progress } from "../progress.js";
import type { ChosenThresholds, MeasurableRun } from "./measurable-run.js";
import { type Kept, readCalibration, readRun, readScoredRecords } from "./read-records.js";
import { keepRecord, media, type Stage } from "./stage.js";

export interface EvaluateRunOptions {
  readonly runId?: string;
  /** Thresholds to decide with; none: only the metrics that need no thresholds. */
  readonly calibrationId?: string;
  readonly fold: Fold | "all";
}

/** Every metric of one fold of a run, with progress of the resamples; nothing is kept. */
export function evaluateWithProgress(
  progress: Progress,
  run: MeasurableRun,
  options: Pick<EvaluateRunOptions, "fold"> & { readonly calibration: ChosenThresholds | null },
): DetailedEvaluation {
  progress.start("resampling", defaultResamples);
  const evaluation = evaluateRecords({
    records: run.records,
    runSha256: run.sha256,
    topK: run.document.topK,
    fold: options.fold,
    calibration: options.calibration,
    onProgress: (step, done) => (step === "resamples" ? progress.update(done) : undefined),
  });
  progress.done();
  return evaluation;
}

/** Computes every metric of one fold from the stored records of a run, and keeps the evaluation. */
export function evaluateRun(stage: Stage, options: EvaluateRunOptions): Kept<DetailedEvaluation> {
  const run = readRun(stage.history, options.runId);
  const calibration =
    options.calibrationId === undefined ? null : readCalibration(stage.history, options.calibrationId);
  const evaluation = evaluateRecords({
    records: readScoredRecords(stage.history, run),
    runSha256: run.sha256,
    topK: run.document.topK,
    fold: options.fold,
    calibration: calibration === null ? null : { sha256: calibration.sha256, document: calibration.document },
  });
  const bytes = canonicalBytes(evaluation);
  const { sha256 } = keepRecord(stage, "evaluation", { bytes, media: media.json });
  return { sha256, bytes, document: evaluation };
}
