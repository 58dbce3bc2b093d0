import { requireWorkflowsOf } from "../../eval/check-records.js";
import { flatThresholds } from "../../eval/flat-thresholds.js";
import { asTestedIn } from "../fit/stored-input.js";
import type { EvaluatedThresholds } from "../../eval/metrics/evaluated-thresholds.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import { type Sha256, sha256Hex } from "../../src/base/sha256.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { ImportedRun, Run, ScoredRecord } from "../../src/documents/scored-record.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { History } from "../../store/history/open.js";
import { listEntries } from "../../store/history/read.js";
import {
  isImported,
  readCalibration,
  readCatalog,
  readDataset,
  readRecord,
  readRun,
  readScoredRecords,
  type Stored,
} from "../../store/records/read-records.js";
import { shortId } from "../../src/base/text.js";

/** A run that metrics can be computed from: scored by Sluice or imported. */
export interface MeasurableRun {
  readonly sha256: Sha256;
  readonly document: Run | ImportedRun;
  readonly records: readonly ScoredRecord[];
}

/** Reads the record of a run of either kind. @param id  run id or its beginning; undefined: the latest */
export function readAnyRun(history: History, id?: string): Omit<MeasurableRun, "records"> {
  const { sha256, document } = readRecord(history, "run", id);
  return { sha256, document };
}

/**
 * Reads a run with its records.
 * @throws {SluiceError} DOCUMENT_INVALID  its records contain workflows that are not in its catalog
 */
export function measurableRun(history: History, id?: string): MeasurableRun {
  const run = readAnyRun(history, id);
  const records = readScoredRecords(history, run);
  if (!isImported(run.document))
    requireWorkflowsOf(readCatalog(history, run.document.catalog_sha256).document, records);
  return { ...run, records };
}

export interface ThresholdChoice {
  readonly calibrationId?: string | undefined;
  /** Confidence threshold of every tier, instead of a calibration. */
  readonly threshold?: number | undefined;
}

export interface ChosenThresholds {
  readonly sha256: Sha256;
  readonly document: EvaluatedThresholds;
}

/**
 * The thresholds of a run: the specified ones, otherwise those of the latest calibration fitted on this run, otherwise
 * of the latest fitted on a run with the same identities, otherwise none.
 * @throws {SluiceError} CALIBRATION_INVALID  the specified calibration was fitted on a run with different identities
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
  if (choice.calibrationId !== undefined) {
    return decidedBy(history, requireThresholdsOf(history, readCalibration(history, choice.calibrationId), run), run);
  }
  const newestFirst = calibrationsOf(history).toReversed();
  const found =
    newestFirst.find(({ document }) => document.digests.run === run.sha256) ??
    newestFirst.find((calibration) => obstacle(history, calibration, run) === null);
  return found === undefined ? null : decidedBy(history, found, run);
}

/** The thresholds of a calibration for a run: on its own run, they decide each tested request as the claims count it. */
export const decidedBy = (
  history: History,
  { sha256, document }: Pick<Stored<Calibration>, "sha256" | "document">,
  run: Pick<MeasurableRun, "sha256">,
): ChosenThresholds => ({
  sha256,
  document: document.digests.run === run.sha256 ? asTestedIn(history, document) : document,
});

/** The calibration whose thresholds apply to a run; null if none do, or if they are not those of a calibration. */
export function calibrationOf(
  history: History,
  thresholds: ChosenThresholds | null,
  choice: ThresholdChoice,
): Calibration | null {
  return thresholds === null || choice.threshold !== undefined
    ? null
    : readCalibration(history, thresholds.sha256).document;
}

/** Why the latest calibration does not apply to a run without thresholds; null if there is no calibration. */
export function whyUndecided(history: History, run: Omit<MeasurableRun, "records">): string | null {
  const latest = calibrationsOf(history).at(-1);
  const found = latest === undefined ? null : obstacle(history, latest, run);
  return latest === undefined || found === null
    ? null
    : `Calibration ${shortId(latest.sha256)} does not apply to run ${shortId(run.sha256)}: ${found}.`;
}

/** @throws {SluiceError} CALIBRATION_INVALID  the calibration was fitted on a run with different identities */
export function requireThresholdsOf(
  history: History,
  calibration: Stored<Calibration>,
  run: Omit<MeasurableRun, "records">,
): Stored<Calibration> {
  const found = obstacle(history, calibration, run);
  if (found === null) return calibration;
  const text = `calibration ${shortId(calibration.sha256)} does not apply to run ${shortId(run.sha256)}: ${found}`;
  throw new SluiceError("CALIBRATION_INVALID", text, {
    hint: isImported(run.document)
      ? "Compare or show imported predictions at one confidence, for example 0.5."
      : say`Fit thresholds for this run: ${command`sluice calibrate fit --run ${shortId(run.sha256)}`}`,
  });
}

/** Every calibration, in the order of the history. */
export const calibrationsOf = (history: History): readonly Stored<Calibration>[] =>
  listEntries(history, { kind: "calibration" }).map(({ sha256 }) => readCalibration(history, sha256));

/** Why a calibration does not apply to a run; null if it does. */
function obstacle(
  history: History,
  { document: { digests } }: Stored<Calibration>,
  { sha256, document }: Omit<MeasurableRun, "records">,
): string | null {
  if (isImported(document)) return "it was imported, so its confidences are those of another system";
  if (digests.run === sha256) return null;
  const differing = differingIdentities(readRun(history, digests.run).document, document);
  if (differing.length === 0) return null;
  return `it was fitted on run ${shortId(digests.run)}, which has a different ${differing.join(", ")}`;
}

/**
 * Request texts of a run by id, read from its dataset because runs contain no texts.
 * @throws {SluiceError} USAGE  the run was imported
 */
export function textsOfRun(
  history: History,
  { document, sha256 }: Omit<MeasurableRun, "records">,
): ReadonlyMap<string, string> {
  if (!isImported(document)) {
    return new Map(readDataset(history, document.dataset_sha256).document.map(({ id, text }) => [id, text]));
  }
  throw new SluiceError("USAGE", `run ${shortId(sha256)} was imported without texts`, {
    hint: "Run the command again without texts.",
  });
}

/** Everything besides the requests that the scores of a run depend on. */
type RunIdentities = Pick<
  Run,
  "catalog_sha256" | "retriever_sha256" | "verifier_sha256" | "policy_sha256" | "serializer_sha256"
>;

const names: Readonly<Record<keyof RunIdentities, string>> = {
  catalog_sha256: "catalog",
  retriever_sha256: "retriever",
  verifier_sha256: "verifier",
  policy_sha256: "policy",
  serializer_sha256: "serializer",
};

/**
 * Names of the identities in which two runs differ; empty if the thresholds of one apply to the other. A run without a
 * recorded serializer matches any serializer.
 */
function differingIdentities(a: RunIdentities, b: RunIdentities): readonly string[] {
  return (Object.keys(names) as readonly (keyof RunIdentities)[])
    .filter((key) => a[key] !== b[key] && a[key] !== undefined && b[key] !== undefined)
    .map((key) => names[key]);
}
