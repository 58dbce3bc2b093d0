import type { FoldFractions } from "../../datasets/assign-folds.js";
import { type Sha256, sha256Hex } from "../../src/base/sha256.js";
import { datasetBytes } from "../../datasets/dataset-bytes.js";
import { catalogWithout, type Removal, workflowsToRemove } from "../../datasets/remove-workflows.js";
import {
  type EarlierSplit,
  keptFitDigest,
  splitByWorkflow,
  type SplitOptions,
  splitsOf,
} from "../../datasets/split-by-workflow.js";
import type { AlikeTexts } from "../../datasets/families.js";
import { requestSplits } from "../../datasets/split-by-request.js";
import { parseCatalog } from "../../src/router/catalog/load.js";
import { canonicalBytes, canonicalJson } from "../../src/base/canonical-json.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { Split } from "../../src/documents/split.js";
import { listEntries } from "../../store/history/read.js";
import { rowsOfSplit, seenRows } from "./seen-rows.js";
import type { AppendedRecord } from "../../store/history/write.js";
import { type Stored, readDataset, readSplit } from "../../store/records/read-records.js";
import { saveRecord, type Session } from "../../store/records/session.js";

/**
 * Saves labelled requests and their provenance as a dataset. A dataset is identified by its rows: if the same rows are
 * imported again from another file, the existing dataset and its original provenance are returned.
 */
export function saveDataset(session: Session, rows: readonly LabelledRequest[], provenance: unknown): AppendedRecord {
  const attachments = [canonicalBytes(provenance)];
  return saveRecord(session, "dataset", datasetBytes(rows), attachments);
}

export interface SaveSplitOptions
  extends Pick<SplitOptions, "dataset" | "seed" | "by" | "keptFit" | "crossValidation"> {
  readonly catalog: Stored<Catalog>;
  readonly fractions: FoldFractions;
  /** Workflows to remove from the catalog; their requests become near out-of-scope. */
  readonly removal?: Removal | undefined;
  /**
   * Finds texts with the same meaning, if folds share workflows. Default: not needed, because the texts were written by
   * people.
   */
  readonly alikeOf?: ((rows: readonly LabelledRequest[], catalog: Catalog) => Promise<AlikeTexts>) | undefined;
}

export interface StoredSplit {
  readonly split: Sha256;
  readonly document: Split;
  /** Ids of the splits of a cross-validation; otherwise empty. */
  readonly assignments: readonly Sha256[];
}

/**
 * Splits a dataset and saves the split together with its catalog. If the history has a split of the same data with the
 * same options, it is reused. If it has one of another version of the data, texts and workflows stay in their folds.
 * The first assignment of a cross-validation is written last, so that it is the latest split.
 */
export async function saveSplit(session: Session, options: SaveSplitOptions): Promise<StoredSplit> {
  const { seed, by = "workflow", removal } = options;
  saveRecord(session, "catalog", options.catalog.bytes);
  const follows = options.crossValidation === undefined && by !== "role";
  const { dataset, history } = follows ? withSeenRows(session, options) : { dataset: options.dataset, history: {} };
  const removed = removal === undefined ? undefined : removedBy(removal, { ...options, dataset, by });
  const catalog =
    removed === undefined ? options.catalog : saveSmallerCatalog(session, options.catalog, removed.workflows);
  const { fractions, keptFit } = options;
  const alikeOf = dividesFamilies(by) ? options.alikeOf : undefined;
  const generated = alikeOf !== undefined;
  const known = follows ? sameOptions(session, { seed, fractions, keptFit, by, removed, generated }) : [];
  const [same] = known.filter(
    ({ document }) => isOf(document, dataset.sha256, catalog.sha256) && hasHistory(document, history),
  );
  if (same !== undefined)
    return { split: saveOneSplit(session, same.document), document: same.document, assignments: [] };
  const [earlier] = known;
  const alike = await alikeOf?.(dataset.rows, catalog.document);
  const split = splitByWorkflow({
    dataset,
    catalog: catalog.document,
    seed,
    fractions,
    by,
    history,
    removed,
    keptFit,
    crossValidation: options.crossValidation,
    alike,
    earlier: earlier && earlierOf(session, earlier),
  });
  const splitId = saveOneSplit(session, split);
  const assignments = split.cross_validation === undefined ? [] : splitsOf(split);
  const assignmentIds = assignments.toReversed().map((assignment) => saveOneSplit(session, assignment));
  return { split: splitId, document: split, assignments: assignmentIds.toReversed() };
}

/** Whether folds are made of families rather than of workflows or published parts. */
const dividesFamilies = (by: string): boolean => requestSplits.has(by) && by !== "role";

function removedBy(removal: Removal, { dataset, catalog, by = "workflow", seed }: SaveSplitOptions) {
  const { rows } = dataset;
  return {
    from_catalog_sha256: catalog.sha256,
    workflows: [...workflowsToRemove({ rows, catalog: catalog.document, removal, by, seed })],
  };
}

/**
 * The dataset of a split: without withdrawn labels, with rows that were removed after a run had shown them, and with
 * marks on rows that an earlier calibration routed wrongly.
 */
function withSeenRows(session: Session, { dataset, catalog }: SaveSplitOptions) {
  const { rows, retained, wrongBefore, withdrawn, merged, heldOutChanges } = rowsOfSplit(
    dataset.rows,
    seenRows(session.history),
    catalog.document,
  );
  const history = {
    ...(retained === 0 ? {} : { retained }),
    ...(wrongBefore === 0 ? {} : { wrong_before: wrongBefore }),
    ...(withdrawn.length === 0 ? {} : { withdrawn: [...withdrawn] }),
    ...(heldOutChanges.length === 0 ? {} : { held_out_changes: [...heldOutChanges] }),
    ...(merged.length === 0 ? {} : { merged: [...merged] }),
  };
  if (retained + wrongBefore + withdrawn.length === 0) return { dataset, history };
  const provenance = { made_from: dataset.sha256, retained, wrong_before: wrongBefore, withdrawn: withdrawn.length };
  const { sha256 } = saveDataset(session, rows, provenance);
  return { dataset: { sha256, rows }, history };
}

interface SplitIdentity extends Pick<SaveSplitOptions, "seed" | "fractions"> {
  readonly by: string;
  readonly keptFit: readonly string[] | undefined;
  readonly removed: Split["removed"] | undefined;
  /** Whether texts with the same meaning are joined. */
  readonly generated: boolean;
}

/** Splits of any data with the same options, latest first. A preserved FIT fold must be the same. */
function sameOptions({ history }: Session, asked: SplitIdentity): readonly Stored<Split>[] {
  const identity = ({ seed, disjoint_by, fractions, removed, kept_fit_sha256, alike }: Split): string =>
    canonicalJson({ seed, disjoint_by, fractions, removed, kept_fit_sha256, generated: alike !== undefined });
  const { seed, by: disjoint_by, fractions, removed, keptFit, generated } = asked;
  const kept_fit_sha256 = keptFit && keptFitDigest(keptFit);
  const wanted = canonicalJson({ seed, disjoint_by, fractions, removed, kept_fit_sha256, generated });
  const all = listEntries(history, { kind: "split" })
    .toReversed()
    .map(({ sha256 }) => readSplit(history, sha256));
  const assignments = new Set(
    all.flatMap(({ document }) =>
      document.cross_validation === undefined ? [] : splitsOf(document).map((one) => sha256Hex(canonicalBytes(one))),
    ),
  );
  return all.filter(
    ({ sha256, document }) =>
      document.cross_validation === undefined && !assignments.has(sha256) && identity(document) === wanted,
  );
}

const isOf = (split: Split, dataset: string, catalog: string): boolean =>
  split.dataset_sha256 === dataset && split.catalog_sha256 === catalog;

/** Whether a split tells approvers the same about previously tested rows. */
const hasHistory = (split: Split, history: NonNullable<SplitOptions["history"]>): boolean => {
  const { retained, wrong_before, withdrawn, held_out_changes, merged } = split;
  const stated = { retained, wrong_before, withdrawn, held_out_changes, merged };
  return canonicalJson(stated) === canonicalJson(history);
};

function earlierOf({ history }: Session, { sha256, document }: Stored<Split>): EarlierSplit {
  return { sha256, split: document, rows: readDataset(history, document.dataset_sha256).document };
}

const saveOneSplit = (session: Session, split: Split): Sha256 =>
  saveRecord(session, "split", canonicalBytes(split)).sha256;

function saveSmallerCatalog(
  session: Session,
  { document }: Stored<Catalog>,
  removed: readonly string[],
): Stored<Catalog> {
  const bytes = canonicalBytes(catalogWithout(document, new Set(removed)));
  const catalog = parseCatalog(bytes, "the catalog without the removed workflows");
  saveRecord(session, "catalog", bytes);
  return { sha256: catalog.sha256, bytes, document: catalog };
}
