import { desc, from, op } from "arquero";
import type { Catalog } from "../src/domain/catalog.js";
import type { LabelledRequest } from "../src/domain/dataset.js";

/** Number of rows that share a value. */
export interface CountOf {
  readonly value: string;
  readonly requests: number;
}

/** What `dataset show` prints. Lengths are characters of the text. */
export interface DatasetDescription {
  readonly requests: number;
  readonly inScope: number;
  readonly outOfScope: number;
  readonly workflows: number;
  readonly outOfScopeGroups: number;
  readonly withContext: number;
  readonly withMissingInputs: number;
  readonly length: { readonly min: number; readonly median: number; readonly max: number } | null;
  /** Most requests first, then by id. */
  readonly perWorkflow: readonly CountOf[];
  /** In-scope rows by tier of their workflow; empty without a catalog. Most requests first. */
  readonly perTier: readonly CountOf[];
  /** One entry per slice, sorted by name; its values with the most requests first. */
  readonly slices: readonly { readonly slice: string; readonly values: readonly CountOf[] }[];
}

/** Counts of a data set. `catalog` adds the tiers; a workflow that it lacks counts as tier `unknown`. */
export function describeDataset(rows: readonly LabelledRequest[], catalog?: Catalog): DatasetDescription {
  const inScope = rows.flatMap((row) => (row.workflowId === null ? [] : [row.workflowId]));
  const outOfScope = rows.filter((row) => row.workflowId === null);
  const tierOf = new Map(catalog?.workflows.map((w) => [w.workflowId, w.riskTier]));
  const sliceNames = [...new Set(rows.flatMap((row) => Object.keys(row.slices ?? {})))].sort();
  const perWorkflow = countsOf(inScope);
  return {
    requests: rows.length,
    inScope: inScope.length,
    outOfScope: outOfScope.length,
    workflows: perWorkflow.length,
    outOfScopeGroups: new Set(outOfScope.map((row) => row.groupId ?? `row:${row.id}`)).size,
    withContext: rows.filter((row) => Object.keys(row.context ?? {}).length > 0).length,
    withMissingInputs: rows.filter((row) => (row.missingInputs ?? []).length > 0).length,
    length: lengthsOf(rows),
    perWorkflow,
    perTier: catalog === undefined ? [] : countsOf(inScope.map((id) => tierOf.get(id) ?? "unknown")),
    slices: sliceNames.map((slice) => ({
      slice,
      values: countsOf(rows.flatMap((row) => row.slices?.[slice] ?? [])),
    })),
  };
}

function countsOf(values: readonly string[]): readonly CountOf[] {
  if (values.length === 0) return [];
  const counted = from(values.map((value) => ({ value })))
    .groupby("value")
    .rollup({ requests: op.count() })
    .orderby(desc("requests"), "value")
    .objects();
  return counted as CountOf[];
}

function lengthsOf(rows: readonly LabelledRequest[]): DatasetDescription["length"] {
  if (rows.length === 0) return null;
  const [lengths] = from(rows.map((row) => ({ length: [...row.text].length })))
    .rollup({ min: op.min("length"), median: op.median("length"), max: op.max("length") })
    .objects() as NonNullable<DatasetDescription["length"]>[];
  return lengths ?? null;
}
