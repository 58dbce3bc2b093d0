import type { ReadManifest } from "../../src/trust/verify/check-contents.js";
import { evaluationEvidence, runEvidence } from "../../src/trust/bundle-layout.js";
import type { Calibration, FitOptions } from "../../src/documents/calibration.js";
import type { ModelRecord } from "../../store/records/model-record.js";
import type { Run, ScoredRecord } from "../../src/documents/scored-record.js";
import { type Split, kinOfRows, removedWorkflows } from "../../src/documents/split.js";
import {
  fitRowsOf,
  type FurtherRows,
  recordsOfRun,
  requestsOfFitRows,
  scoreFitRows,
  storedFitRows,
} from "../fit/background-source.js";
import { getBlob } from "../../store/history/read.js";
import {
  type Stored,
  readCalibration,
  readModel,
  readRecord,
  readRun,
  readSplit,
  readDataset,
} from "../../store/records/read-records.js";
import type { Session } from "../../store/records/session.js";
import { evidenceOf } from "./evidence-of.js";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftOutOf, scoresLeftOut } from "../../datasets/left-out.js";
import { foldOf } from "../../datasets/split-by-workflow.js";
import { scoreOverRun } from "../score/score-run.js";

/** Inputs for reproducing a claim, and the signed documents to compare with, from any source. */
export interface ClaimSources {
  readonly manifest: ReadManifest;
  readonly calibration: Stored<Calibration>;
  readonly run: Stored<Run>;
  readonly evaluation: Buffer;
  readonly split: Split;
  readonly records: readonly ScoredRecord[];
  readonly recordsBytes: Buffer;
  readonly modelDigest: (role: ModelRecord["role"]) => string;
  /** The scored background and follow-ups of the fit. @throws {SluiceError} NOT_REPRODUCIBLE  they are not available */
  readonly fitRows: () => FurtherRows;
  /** Scores dataset, background and follow-ups again. @throws {SluiceError} NOT_REPRODUCIBLE  the dataset is not available */
  readonly scoreAgain: (workers: number) => Promise<ScoredAgain>;
}

/**
 * Reads the records of a claim from the producer's history.
 * @throws {SluiceError} NOT_REPRODUCIBLE, HISTORY_TAMPERED, RECORD_NOT_FOUND
 */
export function claimSourcesOfHistory(session: Session, manifest: ReadManifest): ClaimSources {
  const { history } = session;
  const run = readRun(history, evidenceOf(manifest, runEvidence));
  const { retriever_sha256, verifier_sha256 } = run.document;
  const calibration = readCalibration(history, manifest.predicate.calibration.sha256);
  const { fit } = calibration.document;
  return {
    manifest,
    calibration,
    run,
    evaluation: readRecord(history, "evaluation", evidenceOf(manifest, evaluationEvidence)).bytes,
    split: readSplit(history, run.document.split_sha256).document,
    records: recordsOfRun(history, run),
    recordsBytes: getBlob(history, run.document.records_sha256),
    modelDigest: (role) =>
      readModel(history, role === "retriever" ? retriever_sha256 : verifier_sha256).document.dir_hash1,
    fitRows: () => storedFitRows(history, fit),
    scoreAgain: (workers) => scoreAgain(session, run, { workers, fit }),
  };
}

interface ScoredAgain {
  readonly records: readonly ScoredRecord[];
  readonly fitRows: FurtherRows;
}

/**
 * Scores the dataset of a run, and the background and follow-ups of a fit, again with the models of the run. Reads neither the stored
 * scores nor the embedding cache of the workspace.
 */
async function scoreAgain(
  { context, ...session }: Session,
  run: Stored<Run>,
  { workers, fit }: { readonly workers: number; readonly fit: FitOptions },
): Promise<ScoredAgain> {
  const { history } = session;
  const split = readSplit(history, run.document.split_sha256).document;
  const vectors = await mkdtemp(join(tmpdir(), "sluice-reproduce-"));
  const apart = { ...session, context: { ...context, workspace: { ...context.workspace, vectors } } };
  try {
    const records = await scoreOverRun(apart, run, {
      workers,
      rows: readDataset(history, run.document.dataset_sha256).document,
      foldOf: foldOf(split),
      kin: kinOfRows(split),
      ...(scoresLeftOut(split) ? { leftOut: leftOutOf(split) } : {}),
      removedWorkflows: removedWorkflows(split),
    });
    const scored = new Map<string, readonly ScoredRecord[]>();
    for (const requests of requestsOfFitRows(history, storedFitRows(history, fit))) {
      const { rows } = await scoreFitRows(apart, run, { requests, workers });
      scored.set(requests.kind, rows.records);
    }
    return { records, fitRows: fitRowsOf(fit, (_, kind) => scored.get(kind) ?? []) };
  } finally {
    await rm(vectors, { recursive: true, force: true });
  }
}
