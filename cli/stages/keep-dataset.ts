import type { FoldFractions } from "../../datasets/assign-folds.js";
import { datasetBytes } from "../../datasets/dataset-bytes.js";
import { splitByWorkflow } from "../../datasets/split-by-workflow.js";
import { canonicalBytes } from "../../src/digest/canonical-json.js";
import type { Catalog } from "../../src/domain/catalog.js";
import type { Dataset, LabelledRequest } from "../../src/domain/dataset.js";
import type { SplitWire } from "../../src/domain/split.js";
import type { Kept } from "./read-records.js";
import { keepRecord, media, type Stage } from "./stage.js";

/** Keeps labelled requests as a data set; `provenance` says where they come from. Returns its id. */
export function keepDataset(stage: Stage, rows: readonly LabelledRequest[], provenance: unknown): string {
  const attachments = [{ bytes: canonicalBytes(provenance), media: media.json }];
  return keepRecord(stage, "dataset", { bytes: datasetBytes(rows), media: media.jsonLines }, attachments).sha256;
}

export interface KeepSplitOptions {
  readonly dataset: Dataset;
  readonly catalog: Kept<Catalog>;
  readonly seed: number;
  readonly fractions: FoldFractions;
}

/** Splits a data set by workflow and keeps the split, and the catalog that it was made with. */
export function keepSplit(
  stage: Stage,
  { dataset, catalog, seed, fractions }: KeepSplitOptions,
): { readonly splitId: string; readonly split: SplitWire } {
  const split = splitByWorkflow({ dataset, catalog: catalog.document, seed, fractions });
  keepRecord(stage, "catalog", { bytes: catalog.bytes, media: media.yaml });
  const { sha256 } = keepRecord(stage, "split", { bytes: canonicalBytes(split), media: media.json });
  return { splitId: sha256, split };
}
