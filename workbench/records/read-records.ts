import { readScoredTable } from "../../eval/scored-table.js";
import type { Sha256 } from "../../src/digest/sha256.js";
import { readJsonl } from "../../datasets/read-jsonl.js";
import { parseCatalog } from "../../src/catalog/load.js";
import { toCamel } from "../../src/domain/camel.js";
import type { Calibration } from "../../src/domain/calibration.js";
import type { Catalog } from "../../src/domain/catalog.js";
import { type AuditRecordWire, AuditRecordSchema } from "../../src/domain/audit.js";
import { checkSchema, matchesSchema } from "../../src/domain/check-schema.js";
import type { LabelledRequest } from "../../src/domain/dataset.js";
import type { Evaluation } from "../../src/domain/evaluation.js";
import type { HistoryKind } from "../../src/domain/history-kind.js";
import { type ModelRecord, ModelRecordSchema } from "../../src/domain/model-record.js";
import { type RoutingPolicy, RoutingPolicySchema } from "../../src/domain/policy.js";
import { ImportedRunSchema, type Run, RunSchema, type ScoredRecord } from "../../src/domain/scored-record.js";
import { SplitSchema, type SplitWire } from "../../src/domain/split.js";
import { SluiceError } from "../../src/errors/error.js";
import type { History } from "../history/open.js";
import { getBlob, latestEntry, listEntries, resolveRecord } from "../history/read.js";
import { readCalibration as parseCalibration } from "../../src/policy/read-calibration.js";
import { requireValidPolicy } from "../../src/policy/require-valid-policy.js";
import { shortId } from "./short-id.js";

/** A record of the history with its id. */
export interface Kept<T> {
  readonly sha256: Sha256;
  readonly bytes: Buffer;
  readonly document: T;
}

/** Which command makes the records of a kind; named when there is none. */
const madeBy: Partial<Record<HistoryKind, string>> = {
  catalog: "sluice dataset import FILE --format FORMAT --catalog CATALOG",
  dataset: "sluice dataset import FILE --format FORMAT --catalog CATALOG",
  split: "sluice dataset split",
  audit: "sluice dataset audit",
  model: "sluice model fit-lexical",
  run: "sluice eval run",
  calibration: "sluice calibrate fit",
  manifest: "sluice manifest create",
};

function missing(kind: HistoryKind): SluiceError {
  const command = madeBy[kind];
  const hint = command === undefined ? {} : { hint: `Make one with: ${command}` };
  return new SluiceError("RECORD_NOT_FOUND", `the history holds no ${kind}`, hint);
}

function bytesOf(history: History, kind: HistoryKind, id: string | undefined): { sha256: Sha256; bytes: Buffer } {
  const entry = id === undefined ? latestEntry(history, kind) : resolveRecord(history, kind, id);
  if (entry === undefined) throw missing(kind);
  return { sha256: entry.sha256, bytes: getBlob(history, entry.sha256) };
}

const json = (bytes: Buffer): unknown => JSON.parse(bytes.toString("utf8")) as unknown;
const what = (kind: HistoryKind, sha256: string): string => `${kind} ${shortId(sha256)}`;

/** @param id  id or its beginning; undefined takes the latest */
export function readCatalog(history: History, id?: string): Kept<Catalog> {
  const kept = bytesOf(history, "catalog", id);
  return { ...kept, document: parseCatalog(kept.bytes, what("catalog", kept.sha256)) };
}

/** The newest catalog that has the workflow of every request; the newest of all when none has. */
export function readCatalogOf(history: History, rows: readonly LabelledRequest[]): Kept<Catalog> {
  const labels = new Set(rows.flatMap((row) => row.workflowId ?? []));
  for (const { sha256 } of listEntries(history, { kind: "catalog" }).toReversed()) {
    const catalog = readCatalog(history, sha256);
    const known = new Set(catalog.document.workflows.map((workflow) => workflow.workflowId));
    if ([...labels].every((label) => known.has(label))) return catalog;
  }
  return readCatalog(history);
}

export function readDataset(history: History, id?: string): Kept<readonly LabelledRequest[]> {
  const kept = bytesOf(history, "dataset", id);
  return { ...kept, document: readJsonl(kept.bytes, what("dataset", kept.sha256)) };
}

export function readSplit(history: History, id?: string): Kept<SplitWire> {
  const kept = bytesOf(history, "split", id);
  return { ...kept, document: checkSchema(SplitSchema, json(kept.bytes), what("split", kept.sha256)) };
}

export function readAudit(history: History, id?: string): Kept<AuditRecordWire> {
  const kept = bytesOf(history, "audit", id);
  return { ...kept, document: checkSchema(AuditRecordSchema, json(kept.bytes), what("audit", kept.sha256)) };
}

/** The newest split of a data set; undefined when it has none. */
export function latestSplitOf(history: History, datasetSha256: Sha256): Kept<SplitWire> | undefined {
  for (const { sha256 } of listEntries(history, { kind: "split" }).toReversed()) {
    const split = readSplit(history, sha256);
    if (split.document.dataset_sha256 === datasetSha256) return split;
  }
  return undefined;
}

/** A run of own models; without an id the latest one. @throws {SluiceError} USAGE  the run was imported */
export function readRun(history: History, id?: string): Kept<Run> {
  const { value, ...kept } = readRunBytes(history, id ?? latestScoredRun(history));
  if (!matchesSchema(ImportedRunSchema, value)) {
    return { ...kept, document: toCamel(checkSchema(RunSchema, value, what("run", kept.sha256))) };
  }
  throw new SluiceError("USAGE", `${what("run", kept.sha256)} was imported, expected a run of own models`, {
    hint: "List the runs: sluice eval list",
  });
}

/** The document of a run of either kind, not checked yet. */
export function readRunBytes(history: History, id?: string): { sha256: Sha256; bytes: Buffer; value: unknown } {
  const kept = bytesOf(history, "run", id);
  return { ...kept, value: json(kept.bytes) };
}

function latestScoredRun(history: History): string {
  const runs = listEntries(history, { kind: "run" }).toReversed();
  const scored = runs.find(({ sha256 }) => !matchesSchema(ImportedRunSchema, json(getBlob(history, sha256))));
  if (scored === undefined) throw missing("run");
  return scored.sha256;
}

/** @param run  of either kind */
export function readScoredRecords(
  history: History,
  run: { readonly sha256: Sha256; readonly document: Pick<Run, "recordsSha256"> },
): readonly ScoredRecord[] {
  return readScoredTable(getBlob(history, run.document.recordsSha256), what("run", run.sha256));
}

export function readCalibration(history: History, id?: string): Kept<Calibration> {
  const kept = bytesOf(history, "calibration", id);
  const name = what("calibration", kept.sha256);
  return { ...kept, document: parseCalibration(json(kept.bytes), name) };
}

export function readPolicy(history: History, id?: string): Kept<RoutingPolicy> {
  const kept = bytesOf(history, "policy", id);
  const name = what("policy", kept.sha256);
  return {
    ...kept,
    document: requireValidPolicy(toCamel(checkSchema(RoutingPolicySchema, json(kept.bytes), name)), name),
  };
}

/** A model of the history: its file list, and its files by relative path. */
export function readModel(
  history: History,
  id: string,
): Kept<ModelRecord> & { readonly files: ReadonlyMap<string, Buffer> } {
  const kept = bytesOf(history, "model", id);
  const document = checkSchema(ModelRecordSchema, json(kept.bytes), what("model", kept.sha256));
  const files = new Map(document.files.map(({ path, sha256 }) => [path, getBlob(history, sha256)]));
  return { ...kept, document, files };
}

/** The newest evaluation of the EVAL fold of the run that a calibration was fitted on. @throws {SluiceError} RECORD_NOT_FOUND */
export function readEvaluationOf(history: History, calibrationSha256: Sha256): Kept<Evaluation> {
  const { run } = readCalibration(history, calibrationSha256).document.digests;
  for (const { sha256 } of listEntries(history, { kind: "evaluation" }).toReversed()) {
    const bytes = getBlob(history, sha256);
    const document = json(bytes) as Evaluation;
    const { calibrationSha256: under, fold, runSha256 } = document;
    if (under === calibrationSha256 && fold === "eval" && runSha256 === run) return { sha256, bytes, document };
  }
  throw new SluiceError("RECORD_NOT_FOUND", `no evaluation of calibration ${shortId(calibrationSha256)}`, {
    hint: "Fit and evaluate in one step: sluice calibrate fit",
  });
}
