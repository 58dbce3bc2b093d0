import { fitCalibration } from "../../calibrate/fit-calibration.js";
import type { FitCalibrationInput } from "../../calibrate/fit-input.js";
import { canonicalBytes } from "../../src/digest/canonical-json.js";
import { toCamel } from "../../src/domain/camel.js";
import type { Catalog } from "../../src/domain/catalog.js";
import type { Calibration, CalibrationWire, ClaimKind } from "../../src/domain/calibration.js";
import type { Evaluation } from "../../src/domain/evaluation.js";
import type { Run, ScoredRecord } from "../../src/domain/scored-record.js";
import { SluiceError } from "../../src/errors/error.js";
import type { History } from "../history/open.js";
import { evaluateRun } from "../evaluation/evaluate-run.js";
import { type Kept, readCatalog, readRun, readScoredRecords, readSplit } from "../records/read-records.js";
import { keepRecord, type Stage } from "../records/stage.js";

/** What is claimed and at what price; see `FitCalibrationInput`. */
export type FitChoices = Pick<
  FitCalibrationInput,
  | "target"
  | "requiredTiers"
  | "delta"
  | "outOfScopeShare"
  | "tierMix"
  | "claim"
  | "startErrors"
  | "startIcc"
  | "costs"
  | "crossFit"
  | "calibrator"
>;

export interface FitThresholdsOptions extends FitChoices {
  readonly runId?: string;
  readonly version: string;
}

/** Sentences that the claim about the other population would have had, or why it cannot be made. */
export interface OtherClaims {
  readonly claim: ClaimKind;
  readonly sentences: readonly string[];
}

export interface FittedThresholds {
  readonly calibration: Kept<Calibration>;
  /** The EVAL fold under these thresholds. */
  readonly evaluation: Kept<Evaluation>;
  /** Workflows of the catalog that have no evidence and are declined, ascending; empty where new ones may be routed. */
  readonly declinedWorkflows: readonly string[];
  /** Fits again for the other population, to say what its claim would have been; nothing of it is kept. */
  readonly otherClaims: () => OtherClaims;
  readonly milliseconds: number;
}

/**
 * The scored records of a run whose split was made for the run's catalog and data set.
 * @throws {SluiceError} SPLIT_MISMATCH, and those of reading
 */
export function recordsOfRun(history: History, run: Kept<Run>): readonly ScoredRecord[] {
  const split = readSplit(history, run.document.splitSha256).document;
  if (split.catalog_sha256 !== run.document.catalogSha256 || split.dataset_sha256 !== run.document.datasetSha256) {
    throw new SluiceError("SPLIT_MISMATCH", "the run and its split name another catalog or data set", {
      hint: "Score the data set again: sluice eval run",
    });
  }
  return readScoredRecords(history, run);
}

/** Fits and certifies the thresholds of every tier, keeps the calibration, and evaluates it on the EVAL fold. */
export function fitThresholds(stage: Stage, options: FitThresholdsOptions): FittedThresholds {
  const started = stage.context.clock();
  const { runId, ...choices } = options;
  const run = readRun(stage.history, runId);
  const input = {
    ...choices,
    records: recordsOfRun(stage.history, run),
    digests: {
      catalog: run.document.catalogSha256,
      dataset: run.document.datasetSha256,
      split: run.document.splitSha256,
      run: run.sha256,
    },
  };
  const wire = fitCalibration(input);
  const bytes = canonicalBytes(wire);
  const { sha256 } = keepRecord(stage, "calibration", bytes);
  const evaluation = evaluateRun(stage, { runId: run.sha256, calibrationId: sha256, fold: "eval" });
  const document = toCamel<CalibrationWire>(wire);
  return {
    calibration: { sha256, bytes, document },
    evaluation,
    declinedWorkflows: declinedBy(document, readCatalog(stage.history, run.document.catalogSha256).document),
    otherClaims: () => otherClaimsOf(input),
    milliseconds: stage.context.clock() - started,
  };
}

function declinedBy({ certifiedWorkflows }: Calibration, { workflows }: Catalog): readonly string[] {
  if (certifiedWorkflows === null) return [];
  const certified = new Set(certifiedWorkflows);
  const ids = workflows.map(({ workflowId }) => workflowId).filter((id) => !certified.has(id));
  return ids.sort();
}

function otherClaimsOf(input: FitCalibrationInput): OtherClaims {
  const claim = input.claim === "fixed-catalog" ? "new-workflows" : "fixed-catalog";
  try {
    const { claims } = fitCalibration({ ...input, claim });
    return { claim, sentences: claims.map(({ sentence }) => sentence) };
  } catch (thrown) {
    if (thrown instanceof SluiceError) return { claim, sentences: [`not possible, ${thrown.message}.`] };
    throw thrown;
  }
}
