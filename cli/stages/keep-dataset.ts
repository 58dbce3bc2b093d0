import { type Audit, auditDataset } from "../../datasets/audit.js";
import { datasetBytes, datasetOf } from "../../datasets/dataset-bytes.js";
import type { FoldFractions } from "../../datasets/assign-folds.js";
import { splitByWorkflow } from "../../datasets/split-by-workflow.js";
import { canonicalBytes } from "../../src/digest/canonical-json.js";
import type { LabelledRequest } from "../../src/domain/dataset.js";
import type { SplitWire } from "../../src/domain/split.js";
import { readCatalog, readDataset } from "./read-records.js";
import { keepRecord, media, type Stage } from "./stage.js";

/** Keeps labelled requests as a data set; `provenance` says where they come from. Returns its id. */
export function keepDataset(stage: Stage, rows: readonly LabelledRequest[], provenance: unknown): string {
  const attachments = [{ bytes: canonicalBytes(provenance), media: media.json }];
  return keepRecord(stage, "dataset", { bytes: datasetBytes(rows), media: media.jsonLines }, attachments).sha256;
}

export interface KeepSplitOptions {
  readonly datasetId: string;
  readonly catalogId: string;
  readonly seed: number;
  readonly fractions: FoldFractions;
}

/** Splits a data set by workflow and keeps the split. */
export function keepSplit(
  stage: Stage,
  options: KeepSplitOptions,
): { readonly splitId: string; readonly split: SplitWire } {
  const catalog = readCatalog(stage.history, options.catalogId);
  const rows = readDataset(stage.history, options.datasetId).document;
  const { seed, fractions } = options;
  const split = splitByWorkflow({ dataset: datasetOf(rows), catalog: catalog.document, seed, fractions });
  const { sha256 } = keepRecord(stage, "split", { bytes: canonicalBytes(split), media: media.json });
  return { splitId: sha256, split };
}

/** The audit of a data set with its catalog and split. */
export function auditSplit(stage: Stage, split: SplitWire): Audit {
  return auditDataset({
    rows: readDataset(stage.history, split.dataset_sha256).document,
    catalog: readCatalog(stage.history, split.catalog_sha256).document,
    split,
  });
}
