import { fitCalibration } from "../../calibrate/fit-calibration.js";
import { canonicalBytes } from "../../src/digest/canonical-json.js";
import { toCamel } from "../../src/domain/camel.js";
import type { Calibration } from "../../src/domain/calibration.js";
import type { RiskTier } from "../../src/domain/catalog.js";
import type { Evaluation } from "../../src/domain/evaluation.js";
import { evaluateRun } from "./evaluate-run.js";
import { type Kept, readRun, readScoredRecords } from "./read-records.js";
import { keepRecord, media, type Stage } from "./stage.js";

export interface FitThresholdsOptions {
  readonly runId?: string;
  /** Target selective risk of each tier, in (0, 1). */
  readonly targets: Readonly<Record<RiskTier, number>>;
  /** Probability that any of the claims fails, in (0, 1). */
  readonly delta: number;
  /** Declared share of out-of-scope requests in production; undefined takes that of the data. */
  readonly outOfScopeShare?: number;
  readonly version: string;
}

export interface FittedThresholds {
  readonly calibration: Kept<Calibration>;
  /** The EVAL fold under these thresholds. */
  readonly evaluation: Kept<Evaluation>;
  readonly milliseconds: number;
}

/** Fits and certifies the thresholds of every tier, keeps the calibration, and evaluates it on the EVAL fold. */
export function fitThresholds(stage: Stage, options: FitThresholdsOptions): FittedThresholds {
  const started = stage.context.clock();
  const run = readRun(stage.history, options.runId);
  const wire = fitCalibration({
    records: readScoredRecords(stage.history, run),
    targets: options.targets,
    delta: options.delta,
    version: options.version,
    digests: {
      catalog: run.document.catalogSha256,
      dataset: run.document.datasetSha256,
      split: run.document.splitSha256,
      run: run.sha256,
    },
    ...(options.outOfScopeShare === undefined ? {} : { outOfScopeShare: options.outOfScopeShare }),
  });
  const bytes = canonicalBytes(wire);
  const { sha256 } = keepRecord(stage, "calibration", { bytes, media: media.json });
  const evaluation = evaluateRun(stage, { runId: run.sha256, calibrationId: sha256, fold: "eval" });
  return {
    calibration: { sha256, bytes, document: toCamel(wire) },
    evaluation,
    milliseconds: stage.context.clock() - started,
  };
}
