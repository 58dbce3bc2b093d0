/**
 * Rows whose outcome was shown. A run shows its tested rows, so they remain test rows whatever is edited afterwards, and
 * a row that a calibration routed wrongly keeps counting as wrong: otherwise a claim could be met by editing away, or
 * curing one by one, the wrong requests that somebody has read.
 */
import { familiesOf } from "../../datasets/families.js";
import { isTestedIn } from "../../datasets/left-out.js";
import { normaliseText } from "../../datasets/near-duplicates.js";
import { foldOf } from "../../datasets/split-by-workflow.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import { groupBy } from "../../src/base/group-by.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { Run } from "../../src/documents/scored-record.js";
import { foldOfRow, type Split } from "../../src/documents/split.js";
import type { History } from "../../store/history/open.js";
import { listEntries } from "../../store/history/read.js";
import {
  isImported,
  readCalibration,
  readCatalog,
  readDataset,
  readRecord,
  readSplit,
} from "../../store/records/read-records.js";
import { decideTested } from "../fit/stored-input.js";

/** Slice of a row that was removed from the data after it was seen, and remains a test row. */
const retainedSlice = "retained";

const isRetained = ({ slices }: LabelledRequest): boolean => slices?.[retainedSlice] !== undefined;

const retainedPrefix = "retained-";

/** True for the id of a retained row, which has no line in the file of requests. */
export const isRetainedId = (id: string): boolean => id.startsWith(retainedPrefix);

/** A request that a calibration routed wrongly, and its confidence in [0, 1]. */
export interface EarlierWrongRoute {
  readonly id: string;
  readonly confidence: number;
}

export interface SeenRows {
  /** All rows of the split, for recognising the data and catalog that a calibration was fitted on. */
  readonly all: readonly LabelledRequest[];
  readonly tested: readonly LabelledRequest[];
  readonly heldOut: readonly LabelledRequest[];
  readonly workflows: Catalog["workflows"];
  /** Wrong routes of the calibrations of the run; computed when an edit makes them matter. */
  readonly wrongRoutes: () => readonly EarlierWrongRoute[];
}

/** The rows that the runs of a history showed, in the order of the runs. Each dataset is read once. */
export function seenRows(history: History): readonly SeenRows[] {
  const datasets = new Map<string, readonly LabelledRequest[]>();
  const splits = new Map<string, SeenRows>();
  for (const { sha256 } of listEntries(history, { kind: "run" })) {
    const { document: run } = readRecord(history, "run", sha256);
    if (isImported(run) || splits.has(run.split_sha256)) continue;
    const rows = datasets.get(run.dataset_sha256) ?? readDataset(history, run.dataset_sha256).document;
    datasets.set(run.dataset_sha256, rows);
    splits.set(run.split_sha256, seenIn(history, run, rows));
  }
  return [...splits.values()];
}

function seenIn(
  history: History,
  { split_sha256, catalog_sha256 }: Pick<Run, "split_sha256" | "catalog_sha256">,
  all: readonly LabelledRequest[],
): SeenRows {
  const split = readSplit(history, split_sha256).document;
  const folds = foldOf(split);
  return {
    all,
    tested: all.filter(isTestedIn(split)),
    heldOut: all.filter((row) => foldOfRow(row, folds) === "eval"),
    workflows: readCatalog(history, catalog_sha256).document.workflows,
    wrongRoutes: () => wrongRoutesOn(history, split_sha256),
  };
}

function wrongRoutesOn(history: History, split: string): readonly EarlierWrongRoute[] {
  return listEntries(history, { kind: "calibration" })
    .map(({ sha256 }) => readCalibration(history, sha256).document)
    .filter(({ digests }) => digests.split === split)
    .flatMap((calibration) =>
      decideTested(history, calibration).flatMap(({ record, outcome, bucket }) =>
        bucket === "routed_wrong" || bucket === "out_of_scope_routed"
          ? [{ id: record.id, confidence: outcome?.decision?.confidence ?? 1 }]
          : [],
      ),
    );
}

type Withdrawn = NonNullable<Split["withdrawn"]>[number];
type Merged = NonNullable<Split["merged"]>[number];
type HeldOutChange = NonNullable<Split["held_out_changes"]>[number];

/** The rows of a split: without withdrawn labels, and with rows that were removed after they were seen. */
export interface RowsOfSplit {
  readonly rows: readonly LabelledRequest[];
  readonly retained: number;
  /** Number of rows that count as wrong because an earlier calibration routed them wrongly. */
  readonly wrongBefore: number;
  readonly withdrawn: readonly Withdrawn[];
  readonly merged: readonly Merged[];
  readonly heldOutChanges: readonly HeldOutChange[];
}

/**
 * Minimum share of the seen texts of an earlier dataset of which a version of it contains the text or a near-copy. With
 * fewer, the requests are fresh ones.
 */
const sameData = 0.05;

/** Minimum share of the seen texts of a merged workflow that are still in the data. */
const sameWorkflow = 0.5;

/** What the given rows say about a text. */
interface Given {
  readonly labels: ReadonlyMap<string, ReadonlySet<string | null>>;
  readonly rows: readonly LabelledRequest[];
}

/**
 * Adds back the rows that were seen and then deleted, moved to the examples, rewritten or relabelled, with their old text
 * and label, and marks the rows that an earlier calibration routed wrongly, unless data and workflows are still those of
 * that calibration. A row whose label was withdrawn as wrong, with a reason, is not tested again, and neither is the
 * same text with a corrected label: fresh requests show whether it is routed right. Rows of a workflow that left the
 * catalog belong to the workflow that it was merged into, otherwise they are out of scope.
 */
export function rowsOfSplit(
  given: readonly LabelledRequest[],
  seen: readonly SeenRows[],
  catalog: Pick<Catalog, "workflows">,
): RowsOfSplit {
  const withdrawnTexts = new Set(given.filter((row) => typeof row.withdrawn === "string").map(textOf));
  const seenTexts = new Set(seen.flatMap(({ tested, heldOut }) => [...tested, ...heldOut].map(textOf)));
  const isCorrected = (row: LabelledRequest): boolean => withdrawnTexts.has(textOf(row)) && seenTexts.has(textOf(row));
  const kept = given.filter((row) => typeof row.withdrawn !== "string" && !isCorrected(row) && !isRetained(row));
  const labels = new Map<string, Set<string | null>>();
  for (const row of kept) labels.set(textOf(row), (labels.get(textOf(row)) ?? new Set()).add(row.workflow_id));
  const present = { labels, rows: kept };
  const versions = seen.filter(({ tested }) => isSameData(tested, present));
  const before = withFirstLabels([...given.filter(isRetained), ...versions.flatMap(({ tested }) => tested)]).filter(
    (row) => !withdrawnTexts.has(textOf(row)),
  );
  const known = new Set<string>(catalog.workflows.map(({ workflow_id: workflowId }) => workflowId));
  const merged = mergedWorkflows(before, { labels, known });
  const into = new Map(merged.map((one) => [one.from, one.into]));
  const presentId = (workflowId: WorkflowId | null): WorkflowId | null =>
    workflowId === null || known.has(workflowId) ? workflowId : (into.get(workflowId) ?? null);
  const retained = retainedRows(before, labels, presentId);
  const wrong = wrongConfidences(versions, { rows: kept, workflows: catalog.workflows, presentId });
  const rows = [...kept, ...retained].map((row) => {
    const confidence = wrong.get(rowKey(row));
    return confidence === undefined ? row : { ...row, wrong_before: confidence };
  });
  return {
    rows,
    retained: retained.length,
    wrongBefore: rows.filter(({ wrong_before: confidence }) => confidence !== undefined).length,
    withdrawn: withdrawnLabels(given, seen),
    merged,
    heldOutChanges: heldOutChanges(versions, given),
  };
}

const textOf = ({ text }: LabelledRequest): string => normaliseText(text);

function withoutMark(row: LabelledRequest): LabelledRequest {
  const { wrong_before: _, ...unmarked } = row;
  return unmarked;
}

const rowKey = (row: LabelledRequest): string => `${row.workflow_id ?? ""}\n${textOf(row)}`;

function retainedRows(
  before: readonly LabelledRequest[],
  labels: Given["labels"],
  presentId: (workflowId: WorkflowId | null) => WorkflowId | null,
): readonly LabelledRequest[] {
  const retained = new Map<string, LabelledRequest>();
  for (const row of before.map(withoutMark)) {
    if (labels.get(textOf(row))?.has(row.workflow_id) === true) continue;
    const workflowId = presentId(row.workflow_id);
    if (labels.get(textOf(row))?.has(workflowId) === true) continue;
    const id = `${retainedPrefix}${sha256Hex(`${workflowId} ${textOf(row)}`).slice(0, 16)}`;
    retained.set(id, { ...row, id, workflow_id: workflowId, slices: { ...row.slices, [retainedSlice]: "yes" } });
  }
  return [...retained.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The largest confidence at which each row was routed wrongly, by label and text. */
function wrongConfidences(
  versions: readonly SeenRows[],
  {
    rows,
    workflows,
    presentId,
  }: {
    readonly rows: readonly LabelledRequest[];
    readonly workflows: Catalog["workflows"];
    readonly presentId: (workflowId: WorkflowId | null) => WorkflowId | null;
  },
): ReadonlyMap<string, number> {
  const largest = new Map<string, number>();
  for (const version of versions) {
    if (isUnedited(version, rows, workflows)) continue;
    const byId = new Map(version.all.map((row) => [row.id, row]));
    for (const { id, confidence } of version.wrongRoutes()) {
      const row = byId.get(id);
      if (row === undefined) continue;
      for (const label of new Set([row.workflow_id, presentId(row.workflow_id)])) {
        const key = rowKey({ ...row, workflow_id: label });
        largest.set(key, Math.max(confidence, row.wrong_before ?? 0, largest.get(key) ?? 0));
      }
    }
  }
  return largest;
}

/** Whether rows and workflows are those that a run showed, so that nothing can have been cured since. */
function isUnedited(version: SeenRows, rows: readonly LabelledRequest[], workflows: Catalog["workflows"]): boolean {
  const identity = (all: readonly LabelledRequest[]): string =>
    all
      .map((row) => canonicalJson(withoutMark(row)))
      .sort()
      .join("\n");
  return (
    canonicalJson(version.workflows) === canonicalJson(workflows) &&
    identity(version.all.filter((row) => !isRetained(row))) === identity(rows)
  );
}

/**
 * The withdrawn labels. Their rows may have the old label, another one or none, so the one that was shown counts: under
 * the id of the row, because the same text may stand under another id with the right label.
 */
function withdrawnLabels(given: readonly LabelledRequest[], seen: readonly SeenRows[]): readonly Withdrawn[] {
  const rows = given.flatMap((row) => (typeof row.withdrawn === "string" ? [{ ...row, reason: row.withdrawn }] : []));
  if (rows.length === 0) return [];
  const shown = groupBy(
    seen.flatMap(({ tested, heldOut }) => [...tested, ...heldOut]),
    textOf,
  );
  return rows.map((row) => {
    const same = shown.get(textOf(row)) ?? [];
    const own = same.find(({ id }) => id === row.id) ?? same.find((one) => one.workflow_id === row.workflow_id);
    return { id: row.id, workflow_id: (own ?? same[0] ?? row).workflow_id, reason: row.reason };
  });
}

/** What happened to the held-out rows of earlier versions: each row once, with the label that it had. */
function heldOutChanges(versions: readonly SeenRows[], given: readonly LabelledRequest[]): readonly HeldOutChange[] {
  const labels = groupBy(given, textOf);
  const ids = new Set(given.map(({ id }) => id));
  const changes = new Map<string, HeldOutChange>();
  for (const row of versions.flatMap(({ heldOut }) => heldOut)) {
    const same = labels.get(textOf(row)) ?? [];
    if (same.some(({ workflow_id: label }) => label === row.workflow_id) || changes.has(rowKey(row))) continue;
    const change = same.length > 0 ? "relabelled" : ids.has(row.id) ? "reworded" : "deleted";
    changes.set(rowKey(row), { id: row.id, workflow_id: row.workflow_id, change });
  }
  return [...changes.values()];
}

/** Replaces each retained row by the rows of its text as they were first seen, if the history has them. */
function withFirstLabels(rows: readonly LabelledRequest[]): readonly LabelledRequest[] {
  const first = new Set(rows.filter((row) => !isRetained(row)).map(textOf));
  return rows.filter((row) => !isRetained(row) || !first.has(textOf(row)));
}

/**
 * The workflows that left the catalog and were merged or renamed: at least half of their seen texts are still in the
 * data, and every one of these now has one and the same workflow. Relabelling single texts is not a merge.
 */
function mergedWorkflows(
  before: readonly LabelledRequest[],
  { labels, known }: Pick<Given, "labels"> & { readonly known: ReadonlySet<string> },
): readonly Merged[] {
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

/** Whether rows are a later version of seen ones: enough seen texts, or near-copies of them, are among the rows. */
function isSameData(seen: readonly LabelledRequest[], { labels, rows }: Given): boolean {
  const missing = seen.filter((row) => !labels.has(textOf(row)));
  const needed = sameData * seen.length;
  if (seen.length - missing.length >= needed) return seen.length > missing.length;
  const { of } = familiesOf({ rows: [...rows, ...missing] });
  const families = new Set(of.slice(0, rows.length));
  const near = of.slice(rows.length).filter((family) => families.has(family)).length;
  return near > 0 && seen.length - missing.length + near >= needed;
}
