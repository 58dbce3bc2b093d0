import { readScoredTable } from "../../eval/scored-table.js";
import type { Sha256 } from "../../src/base/sha256.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { AuditRecord } from "../../datasets/audit/audit-document.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import type { HistoryKind } from "../../src/documents/choices.js";
import type { ModelRecord } from "./model-record.js";
import type { RoutingPolicy } from "../../src/documents/policy.js";
import type { ImportedRun, Run, ScoredRecord } from "../../src/documents/scored-record.js";
import type { Split } from "../../src/documents/split.js";
import { command, type Invocation, say, SluiceError } from "../../src/base/error.js";
import type { History } from "../history/open.js";
import { getBlob, latestEntry, listEntries, resolveRecord } from "../history/read.js";
import { type RecordDocuments, recordReaders } from "./record-readers.js";
import { shortId } from "../../src/base/text.js";

export interface Stored<T> {
  readonly sha256: Sha256;
  readonly bytes: Buffer;
  readonly document: T;
}

/** The command that creates records of a kind, for the message when there is none. */
const madeBy: Partial<Record<HistoryKind, Invocation>> = {
  catalog: command`sluice dataset import FILE --format FORMAT --catalog CATALOG`,
  dataset: command`sluice dataset import FILE --format FORMAT --catalog CATALOG`,
  split: command`sluice dataset split`,
  audit: command`sluice dataset audit`,
  model: command`sluice model fit`,
  run: command`sluice eval run`,
  calibration: command`sluice calibrate fit`,
  manifest: command`sluice manifest create`,
};

function missing(kind: HistoryKind): SluiceError {
  const making = madeBy[kind];
  return new SluiceError("RECORD_NOT_FOUND", `the history holds no ${kind}`, {
    hint: making && ["Make one with: ", making],
  });
}

/**
 * Reads one record with the reader of its kind.
 * @param id  id or a prefix; undefined selects the latest
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, HISTORY_TAMPERED, and those of the reader
 */
export function readRecord<K extends HistoryKind>(history: History, kind: K, id?: string): Stored<RecordDocuments[K]> {
  const entry = id === undefined ? latestEntry(history, kind) : resolveRecord(history, kind, id);
  if (entry === undefined) throw missing(kind);
  return recordOf(history, kind, entry.sha256);
}

function recordOf<K extends HistoryKind>(history: History, kind: K, sha256: Sha256): Stored<RecordDocuments[K]> {
  const bytes = getBlob(history, sha256);
  return { sha256, bytes, document: readable(kind, bytes, sha256) };
}

function readable<K extends HistoryKind>(kind: K, bytes: Buffer, sha256: Sha256): RecordDocuments[K] {
  try {
    return recordReaders[kind](bytes, `${kind} ${shortId(sha256)}`);
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    const hint = say`List the damaged records: ${command`sluice history repair`}`;
    throw new SluiceError(error.code, error.message, { hint, cause: error });
  }
}

/** Every record of a kind with its author, oldest first. */
export const listRecords = <K extends HistoryKind>(
  history: History,
  kind: K,
): readonly (Stored<RecordDocuments[K]> & { readonly actor: string })[] =>
  listEntries(history, { kind }).map(({ sha256, actor }) => ({ ...recordOf(history, kind, sha256), actor }));

/** The newest matching record of a kind; undefined if none matches. Older ones are not read. */
function newestRecord<K extends HistoryKind>(
  history: History,
  kind: K,
  fits: (document: RecordDocuments[K]) => boolean,
): Stored<RecordDocuments[K]> | undefined {
  for (const { sha256 } of listEntries(history, { kind }).toReversed()) {
    const record = recordOf(history, kind, sha256);
    if (fits(record.document)) return record;
  }
  return undefined;
}

export const readCatalog = (history: History, id?: string): Stored<Catalog> => readRecord(history, "catalog", id);

/** The newest catalog that contains the workflow of every request; if there is none, the newest catalog. */
export function readCatalogOf(history: History, rows: readonly LabelledRequest[]): Stored<Catalog> {
  const labels = new Set(rows.flatMap((row) => row.workflow_id ?? []));
  const hasAll = ({ workflows }: Catalog): boolean => {
    const known = new Set(workflows.map((workflow) => workflow.workflow_id));
    return [...labels].every((label) => known.has(label));
  };
  return newestRecord(history, "catalog", hasAll) ?? readCatalog(history);
}

export const readDataset = (history: History, id?: string): Stored<readonly LabelledRequest[]> =>
  readRecord(history, "dataset", id);

export const readSplit = (history: History, id?: string): Stored<Split> => readRecord(history, "split", id);

export const readAudit = (history: History, id?: string): Stored<AuditRecord> => readRecord(history, "audit", id);

/** The newest split of a dataset; undefined if it has none. */
export const latestSplitOf = (history: History, datasetSha256: Sha256): Stored<Split> | undefined =>
  newestRecord(history, "split", ({ dataset_sha256: dataset }) => dataset === datasetSha256);

export const isImported = (document: Run | ImportedRun): document is ImportedRun => document.kind === "imported";

/** Reads a run scored by Sluice; without an id, the latest one. @throws {SluiceError} USAGE  the run was imported */
export function readRun(history: History, id?: string): Stored<Run> {
  const run =
    id === undefined
      ? newestRecord(history, "run", (document) => !isImported(document))
      : readRecord(history, "run", id);
  if (run === undefined) throw missing("run");
  const { document, ...kept } = run;
  if (!isImported(document)) return { ...kept, document };
  throw new SluiceError("USAGE", `run ${shortId(run.sha256)} was imported, expected a run of Sluice models`, {
    hint: say`List the runs: ${command`sluice eval list`}`,
  });
}

/** Runs scored by Sluice, latest first. */
export const scoredRuns = (history: History): readonly Stored<Run>[] =>
  listEntries(history, { kind: "run" })
    .toReversed()
    .map(({ sha256 }) => recordOf(history, "run", sha256))
    .flatMap(({ document, ...kept }) => (isImported(document) ? [] : [{ ...kept, document }]));

/** @param run a run of either kind */
export function readScoredRecords(
  history: History,
  run: { readonly sha256: Sha256; readonly document: Pick<Run, "records_sha256"> },
): readonly ScoredRecord[] {
  return readScoredTable(getBlob(history, run.document.records_sha256), `run ${shortId(run.sha256)}`);
}

export const readCalibration = (history: History, id?: string): Stored<Calibration> =>
  readRecord(history, "calibration", id);

export const readPolicy = (history: History, id?: string): Stored<RoutingPolicy> => readRecord(history, "policy", id);

/** A model in the history: its file list, and its files by relative path. */
export function readModel(
  history: History,
  id: string,
): Stored<ModelRecord> & { readonly files: ReadonlyMap<string, Buffer> } {
  const model = readRecord(history, "model", id);
  const files = new Map(model.document.files.map(({ path, sha256 }) => [path, getBlob(history, sha256)]));
  return { ...model, files };
}

/** The newest evaluation of the EVAL fold of the run that a calibration was fitted on. @throws {SluiceError} RECORD_NOT_FOUND */
export function readEvaluationOf(history: History, calibrationSha256: Sha256): Stored<Evaluation> {
  const { run } = readCalibration(history, calibrationSha256).document.digests;
  const found = newestRecord(
    history,
    "evaluation",
    ({ calibration_sha256: under, fold, run_sha256 }) =>
      under === calibrationSha256 && (fold === "eval" || fold === "certify") && run_sha256 === run,
  );
  if (found !== undefined) return found;
  throw new SluiceError("RECORD_NOT_FOUND", `no evaluation of calibration ${shortId(calibrationSha256)}`, {
    hint: say`Fit and evaluate in one step: ${command`sluice calibrate fit`}`,
  });
}

/** Result of `reference`: four or more hex digits are an id, everything else is a path. */
export type Reference = { readonly kind: "id"; readonly id: string } | { readonly kind: "file"; readonly path: string };
