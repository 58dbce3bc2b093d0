import { createHash } from "node:crypto";
import { normaliseText } from "../../datasets/near-duplicates.js";
import { foldOf } from "../../datasets/split-by-workflow.js";
import { sha256Hex, type Sha256 } from "../../src/base/sha256.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import type { Calibration } from "../../src/documents/calibration.js";
import { groupBy } from "../../src/base/group-by.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { foldOfRow } from "../../src/documents/split.js";
import type { History } from "../../store/history/open.js";
import { listEntries } from "../../store/history/read.js";
import {
  readCalibration,
  readDataset,
  readRun,
  readScoredRecords,
  readSplit,
} from "../../store/records/read-records.js";

/** Slice of a row that was removed from the data after it was tested, and remains a test row. */
export const retainedSlice = "retained";

const isRetained = ({ slices }: LabelledRequest): boolean => slices?.[retainedSlice] !== undefined;

/** A calibration and the rows whose labels it tested. */
export interface TestedRows {
  readonly id: Sha256;
  readonly calibration: Calibration;
  readonly rows: readonly LabelledRequest[];
}

/** The tested rows of every calibration in the history, in order. */
export function testedRows(history: History): readonly TestedRows[] {
  return listEntries(history, { kind: "calibration" }).map(({ sha256 }) => {
    const { document: calibration } = readCalibration(history, sha256);
    const folds = foldOf(readSplit(history, calibration.digests.split).document);
    const rows = readDataset(history, calibration.digests.dataset).document.filter((row) => {
      const fold = foldOfRow(row, folds);
      return fold === "certify" || (fold === "tune" && calibration.cross_fit !== null);
    });
    return { id: sha256, calibration, rows };
  });
}

/** A withdrawn label and the reason. */
export interface WithdrawnLabel {
  readonly id: string;
  /** The label that was tested last, otherwise the label of the row; null: out of scope. */
  readonly workflow_id: WorkflowId | null;
  readonly reason: string;
}

/** A workflow that left the catalog, and the one that all of its tested requests now belong to. */
export interface MergedWorkflow {
  readonly from: WorkflowId;
  readonly into: WorkflowId;
  /** Number of its tested requests. */
  readonly requests: number;
}

/** The rows of a split: without withdrawn labels, and with rows that were removed after they were tested. */
export interface RowsOfSplit {
  readonly rows: readonly LabelledRequest[];
  readonly retained: number;
  readonly withdrawn: readonly WithdrawnLabel[];
  readonly merged: readonly MergedWorkflow[];
}

/** Minimum share of the texts of an earlier dataset that an edited version of it contains. */
const sameData = 0.5;

/** Minimum share of the tested texts of a merged workflow that are still in the data. */
const sameWorkflow = 0.5;

/**
 * Adds back the rows that earlier calibrations tested and that were then deleted, moved to the examples, rewritten or
 * relabelled, with their old text and label. Otherwise a claim could be met by editing away the wrong requests. A row
 * whose label was withdrawn as wrong, with a reason, is not tested again. Rows of a workflow that left the catalog
 * belong to the workflow that it was merged into, otherwise they are out of scope.
 */
export function rowsOfSplit(
  given: readonly LabelledRequest[],
  tested: readonly Pick<TestedRows, "rows">[],
  catalog: Pick<Catalog, "workflows">,
): RowsOfSplit {
  const withdrawn = withdrawnLabels(given, tested);
  const withdrawnTexts = new Set(given.filter((row) => typeof row.withdrawn === "string").map(textOf));
  const kept = given.filter((row) => typeof row.withdrawn !== "string" && !isRetained(row));
  const labels = new Map<string, Set<string | null>>();
  for (const row of kept) labels.set(textOf(row), (labels.get(textOf(row)) ?? new Set()).add(row.workflow_id));
  const known = new Set<string>(catalog.workflows.map(({ workflow_id: workflowId }) => workflowId));
  const before = withFirstLabels([
    ...given.filter(isRetained),
    ...tested.flatMap(({ rows }) => rowsOfVersion(rows, labels)),
  ]).filter((row) => !withdrawnTexts.has(textOf(row)));
  const merged = mergedWorkflows(before, { labels, known });
  const into = new Map(merged.map((one) => [one.from, one.into]));
  const presentId = (workflowId: WorkflowId | null): WorkflowId | null =>
    workflowId === null || known.has(workflowId) ? workflowId : (into.get(workflowId) ?? null);
  const retained = new Map<string, LabelledRequest>();
  for (const row of before) {
    if (labels.get(textOf(row))?.has(row.workflow_id) === true) continue;
    const workflowId = presentId(row.workflow_id);
    if (labels.get(textOf(row))?.has(workflowId) === true) continue;
    const id = `retained-${sha256Hex(`${workflowId} ${textOf(row)}`).slice(0, 16)}`;
    retained.set(id, { ...row, id, workflow_id: workflowId, slices: { ...row.slices, [retainedSlice]: "yes" } });
  }
  const added = [...retained.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { rows: [...kept, ...added], retained: added.length, withdrawn, merged };
}

/**
 * The withdrawn labels. Their rows may have the old label, another one or none, so the one that was tested counts: under
 * the id of the row, because the same text may since be tested under another id with the right label.
 */
function withdrawnLabels(
  given: readonly LabelledRequest[],
  tested: readonly Pick<TestedRows, "rows">[],
): readonly WithdrawnLabel[] {
  const rows = given.flatMap((row) => (typeof row.withdrawn === "string" ? [{ ...row, reason: row.withdrawn }] : []));
  if (rows.length === 0) return [];
  const testedRows = groupBy(
    tested.flatMap(({ rows: all }) => all),
    textOf,
  );
  return rows.map((row) => {
    const same = testedRows.get(textOf(row)) ?? [];
    const tested = same.find(({ id }) => id === row.id) ?? same.find((one) => one.workflow_id === row.workflow_id);
    return { id: row.id, workflow_id: (tested ?? same[0] ?? row).workflow_id, reason: row.reason };
  });
}

/** Replaces each retained row by the rows of its text as they were first tested, if the history has them. */
function withFirstLabels(rows: readonly LabelledRequest[]): readonly LabelledRequest[] {
  const first = new Set(rows.filter((row) => !isRetained(row)).map(textOf));
  return rows.filter((row) => !isRetained(row) || !first.has(textOf(row)));
}

/**
 * The workflows that left the catalog and were merged or renamed: at least half of their tested texts are still in the
 * data, and every one of these now has one and the same workflow. Relabelling single texts is not a merge.
 */
function mergedWorkflows(
  before: readonly LabelledRequest[],
  {
    labels,
    known,
  }: { readonly labels: ReadonlyMap<string, ReadonlySet<string | null>>; readonly known: ReadonlySet<string> },
): readonly MergedWorkflow[] {
  const gone = before.flatMap((row) =>
    row.workflow_id === null || known.has(row.workflow_id) ? [] : [{ from: row.workflow_id, text: textOf(row) }],
  );
  return [...groupBy(gone, ({ from }) => from)].flatMap(([from, own]) => {
    const texts = [...new Set(own.map(({ text }) => text))];
    const now = texts.flatMap((text) => labels.get(text) ?? []);
    if (now.length < sameWorkflow * texts.length) return [];
    const [into, ...others] = [...(now[0] ?? [])].filter((label) => now.every((one) => one.has(label)));
    const isMerge = typeof into === "string" && known.has(into) && others.length === 0;
    return isMerge ? [{ from, into: into as WorkflowId, requests: texts.length }] : [];
  });
}

/** The rows of an earlier version of the same data; empty for different data. */
function rowsOfVersion(
  rows: readonly LabelledRequest[],
  labels: ReadonlyMap<string, unknown>,
): readonly LabelledRequest[] {
  const present = rows.filter((row) => labels.has(textOf(row))).length;
  return present < sameData * rows.length ? [] : rows;
}

const textOf = ({ text }: LabelledRequest): string => normaliseText(text);

/**
 * Number of this calibration among those on the same labels: one plus the number of earlier ones that tested any of
 * these texts for a claim about the same population. Repeating the same fit does not increase the number; a comparison
 * that is never released does not count.
 * @param identity  identity of a calibration: the digests of its inputs, and its options except the attempt
 */
export function attemptOf(
  tested: readonly TestedRows[],
  rows: readonly LabelledRequest[],
  {
    population,
    identity,
    identityOf,
  }: {
    readonly population: Calibration["claims"][number]["population"];
    readonly identity: string;
    readonly identityOf: (calibration: Calibration) => string;
  },
): number {
  const texts = new Set(rows.map(textOf));
  const before = new Set<string>();
  for (const { calibration, rows: other } of tested) {
    if (calibration.claims[0]?.population !== population || calibration.fit.attempt === null) continue;
    const own = identityOf(calibration);
    if (own === identity) return before.size + 1;
    if (other.some((row) => texts.has(textOf(row)))) before.add(own);
  }
  return before.size + 1;
}

/**
 * Identity of a test: the options of the fit, and the scored requests outside EVAL. Held-out requests decide nothing, so a
 * fit that differs only in them tests the same labels in the same way.
 * @param read  records that the caller has already read, by the id of their run
 */
export function identitiesOfFits(
  history: History,
  read: ReadonlyMap<Sha256, readonly ScoredRecord[]> = new Map(),
): (fit: Pick<Calibration, "digests" | "fit">) => string {
  const known = new Map<Sha256, string>();
  const testedRecords = (runId: Sha256): string => {
    const run = readRun(history, runId);
    const records = (): readonly ScoredRecord[] => read.get(runId) ?? readScoredRecords(history, run);
    const digest = known.get(run.document.records_sha256) ?? digestOutsideEval(records());
    known.set(run.document.records_sha256, digest);
    return digest;
  };
  return ({ digests, fit }) => canonicalJson({ records: testedRecords(digests.run), fit: { ...fit, attempt: null } });
}

function digestOutsideEval(records: readonly ScoredRecord[]): string {
  const hash = createHash("sha256");
  for (const record of records) if (record.fold !== "eval") hash.update(canonicalJson(record));
  return hash.digest("hex");
}
