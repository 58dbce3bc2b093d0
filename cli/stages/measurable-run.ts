import { requireWorkflowsOf } from "../../eval/check-records.js";
import { flatThresholds } from "../../eval/flat-thresholds.js";
import type { EvaluatedThresholds } from "../../eval/metrics/evaluated-thresholds.js";
import { canonicalJson } from "../../src/digest/canonical-json.js";
import { sha256Hex } from "../../src/digest/sha256.js";
import { toCamel } from "../../src/domain/camel.js";
import type { Calibration } from "../../src/domain/calibration.js";
import { checkSchema, matchesSchema } from "../../src/domain/check-schema.js";
import {
  type ImportedRun,
  ImportedRunSchema,
  type Run,
  RunSchema,
  type ScoredRecord,
} from "../../src/domain/scored-record.js";
import { SluiceError } from "../../src/errors/error.js";
import type { History } from "../../src/history/open.js";
import { latestEntry, listEntries } from "../../src/history/read.js";
import { type Kept, readCalibration, readCatalog, readRunBytes, readScoredRecords } from "./read-records.js";
import { shortId } from "../short-id.js";

/** A run that metrics can be computed from, whoever made the predictions. */
export interface MeasurableRun {
  readonly sha256: string;
  readonly document: Run | ImportedRun;
  readonly records: readonly ScoredRecord[];
}

/** The record of a run of either kind. @param id  id or its beginning; undefined takes the latest */
export function readAnyRun(history: History, id?: string): Omit<MeasurableRun, "records"> {
  const { sha256, value } = readRunBytes(history, id);
  if (matchesSchema(ImportedRunSchema, value)) return { sha256, document: toCamel(value) };
  return { sha256, document: toCamel(checkSchema(RunSchema, value, `run ${shortId(sha256)}`)) };
}

export const isImported = (document: Run | ImportedRun): document is ImportedRun => document.kind === "imported";

/**
 * A run with its records.
 * @throws {SluiceError} DATASET_INVALID  its records name workflows that its catalog lacks
 */
export function measurableRun(history: History, id?: string): MeasurableRun {
  const run = readAnyRun(history, id);
  const records = readScoredRecords(history, run);
  if (!isImported(run.document)) requireWorkflowsOf(readCatalog(history, run.document.catalogSha256).document, records);
  return { ...run, records };
}

export interface ThresholdChoice {
  readonly calibrationId?: string | undefined;
  /** One confidence for every tier instead of a calibration. */
  readonly threshold?: number | undefined;
}

export interface ChosenThresholds {
  readonly sha256: string;
  readonly document: EvaluatedThresholds;
}

/**
 * The thresholds that decide for a run: those that were named, else the latest calibration that was fitted on this run,
 * else the latest of its catalog, else none.
 * @throws {SluiceError} CALIBRATION_INVALID  the named calibration belongs to another catalog
 */
export function thresholdsFor(
  history: History,
  run: Omit<MeasurableRun, "records">,
  choice: ThresholdChoice = {},
): ChosenThresholds | null {
  if (choice.threshold !== undefined) {
    const document = flatThresholds(choice.threshold);
    return { sha256: sha256Hex(canonicalJson(document)), document };
  }
  if (choice.calibrationId !== undefined) return ofSameCatalog(readCalibration(history, choice.calibrationId), run);
  if (isImported(run.document) || latestEntry(history, "calibration") === undefined) return null;
  const { catalogSha256 } = run.document;
  const newestFirst = listEntries(history, { kind: "calibration" })
    .toReversed()
    .map((entry) => readCalibration(history, entry.sha256));
  return (
    newestFirst.find(({ document }) => document.digests.run === run.sha256) ??
    newestFirst.find(({ document }) => document.digests.catalog === catalogSha256) ??
    null
  );
}

function ofSameCatalog(
  calibration: Kept<Calibration>,
  { sha256, document }: Omit<MeasurableRun, "records">,
): ChosenThresholds {
  const of = `calibration ${shortId(calibration.sha256)}`;
  if (isImported(document)) {
    throw new SluiceError(
      "CALIBRATION_INVALID",
      `${of}: run ${shortId(sha256)} was imported, its confidences are of another system`,
      {
        hint: "Give one threshold for all of its predictions: --min-confidence 0.5",
      },
    );
  }
  if (calibration.document.digests.catalog === document.catalogSha256) return calibration;
  throw new SluiceError("CALIBRATION_INVALID", `${of} and run ${shortId(sha256)} belong to different catalogs`, {
    hint: `Fit thresholds for this run: sluice calibrate fit --run ${shortId(sha256)}`,
  });
}
