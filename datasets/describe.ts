import { desc, from, op } from "arquero";
import type { Catalog } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { Split } from "../src/documents/split.js";
import { type Fold, folds } from "../src/documents/choices.js";

/** Number of rows that share a value. */
export interface CountOf {
  readonly value: string;
  readonly requests: number;
}

/** Quantiles of text length: minimum, 5%, 25%, 50%, 75%, 95%, maximum. */
export interface LengthQuantiles {
  readonly min: number;
  readonly p05: number;
  readonly p25: number;
  readonly median: number;
  readonly p75: number;
  readonly p95: number;
  readonly max: number;
}

export interface FoldCount {
  readonly fold: Fold;
  readonly requests: number;
  readonly workflows: number;
  readonly out_of_scope: number;
}

/** Output of `dataset show`. Lengths are in characters. */
export interface DatasetDescription {
  readonly requests: number;
  readonly in_scope: number;
  readonly out_of_scope: number;
  readonly workflows: number;
  readonly out_of_scope_groups: number;
  readonly with_context: number;
  readonly with_missing_inputs: number;
  /** Quantiles of the text length, interpolated between neighbours; null without rows. */
  readonly length: LengthQuantiles | null;
  /** Sorted by number of requests, descending, then by id. */
  readonly per_workflow: readonly CountOf[];
  /** In-scope rows by tier of their workflow, most requests first; empty without a catalog. */
  readonly per_tier: readonly CountOf[];
  /** Every fold in order; empty without a split. */
  readonly per_fold: readonly FoldCount[];
  /** One entry per slice, sorted by name. Values are sorted by number of requests, descending. */
  readonly slices: readonly { readonly slice: string; readonly values: readonly CountOf[] }[];
}

/** Optional context of a dataset description. */
export interface DatasetSurroundings {
  /** Adds counts per tier; a workflow that is not in the catalog counts as tier `unknown`. */
  readonly catalog?: Catalog;
  /** Adds counts per fold. */
  readonly split?: Split;
}

export function describeDataset(
  rows: readonly LabelledRequest[],
  { catalog, split }: DatasetSurroundings = {},
): DatasetDescription {
  const inScope = rows.flatMap((row) => (row.workflow_id === null ? [] : [row.workflow_id]));
  const outOfScope = rows.filter((row) => row.workflow_id === null);
  const tierOf = new Map(catalog?.workflows.map((w) => [w.workflow_id, w.risk_tier]));
  const sliceNames = [...new Set(rows.flatMap((row) => Object.keys(row.slices ?? {})))].sort();
  const perWorkflow = countsOf(inScope);
  return {
    requests: rows.length,
    in_scope: inScope.length,
    out_of_scope: outOfScope.length,
    workflows: perWorkflow.length,
    out_of_scope_groups: new Set(outOfScope.map((row) => row.group_id ?? `row:${row.id}`)).size,
    with_context: rows.filter((row) => Object.keys(row.context ?? {}).length > 0).length,
    with_missing_inputs: rows.filter((row) => (row.missing_inputs ?? []).length > 0).length,
    length: lengthsOf(rows),
    per_workflow: perWorkflow,
    per_tier: catalog === undefined ? [] : countsOf(inScope.map((id) => tierOf.get(id) ?? "unknown")),
    per_fold: split === undefined ? [] : folds.map((fold) => foldCount(fold, split)),
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

function foldCount(fold: Fold, split: Split): FoldCount {
  const { requests, workflows, out_of_scope } = split.folds[fold];
  return { fold, requests, workflows, out_of_scope: out_of_scope };
}

function lengthsOf(rows: readonly LabelledRequest[]): LengthQuantiles | null {
  if (rows.length === 0) return null;
  const [lengths] = from(rows.map((row) => ({ length: [...row.text].length })))
    .rollup({
      min: op.min("length"),
      p05: op.quantile("length", 0.05),
      p25: op.quantile("length", 0.25),
      median: op.median("length"),
      p75: op.quantile("length", 0.75),
      p95: op.quantile("length", 0.95),
      max: op.max("length"),
    })
    .objects() as LengthQuantiles[];
  return lengths ?? null;
}

/** Describes a value without repeating it, e.g. "a number", "an empty text", "a text of 9,000 characters". */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "string") return kindOfText(value);
  if (Array.isArray(value)) return "a list";
  if (value instanceof Uint8Array) return "bytes";
  return kindNames[typeof value] ?? "a value of another kind";
}

const kindNames: Readonly<Record<string, string>> = {
  number: "a number",
  bigint: "a number",
  boolean: "a boolean",
  object: "an object",
};

function kindOfText(text: string): string {
  if (text === "") return "an empty text";
  return text.trim() === "" ? "a text of white space only" : `a text of ${text.length.toLocaleString("en")} characters`;
}
