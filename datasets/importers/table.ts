import { foldOfRole, roleSlice } from "../split-by-request.js";
import { sha256Hex } from "../../src/digest/sha256.js";
import { SluiceError } from "../../src/errors/error.js";
import { BadRows } from "../bad-rows.js";
import type { ColumnMapping } from "../tables/column-mapping.js";
import { readCsv } from "../tables/read-csv.js";
import { readJsonRows } from "../tables/read-json-rows.js";
import { readParquet } from "../tables/read-parquet.js";
import type { Table } from "../tables/table.js";
import { type TableText, tableTexts } from "../tables/table-rows.js";
import { assembleBenchmark, type BenchmarkOptions, idsOfIntents, limitRows } from "./benchmark.js";
import type { ImportedDataset, SourceFile } from "./imported-dataset.js";

export interface TableOptions extends BenchmarkOptions {
  readonly mapping?: ColumnMapping;
  /** Drafts a catalog from the labels, with examples drawn from the texts. Default: no catalog. */
  readonly draftCatalog?: boolean;
}

/** How the bytes become a table. */
export type TableFormat =
  | { readonly kind: "csv"; readonly delimiter: string }
  | { readonly kind: "jsonl" }
  | { readonly kind: "parquet" };

/**
 * Labelled requests from a table of any shape. Labels become workflow ids (`workflowIdsFor`).
 * @throws {SluiceError} SYNTAX_INVALID, SCHEMA_INVALID with row and column; DATASET_EMPTY
 */
export async function importTable(
  source: SourceFile,
  format: TableFormat,
  options: TableOptions = {},
): Promise<ImportedDataset> {
  const { file, bytes } = source;
  const bad = new BadRows(options.maxBadRows);
  const texts = tableTexts(await readTable(source, format, bad), options.mapping ?? {}, bad);
  const badRows = bad.settle();
  if (texts.length === 0) throw new SluiceError("DATASET_EMPTY", `${file}: no usable rows`);
  const sources = [{ file, sha256: sha256Hex(bytes), licence: null }];
  if (options.draftCatalog !== true) return { ...withoutCatalog(texts, options), sources, badRows };
  const parts = texts.map((text) => ({ ...text, part: partOf(text) }));
  return { ...assembleBenchmark("table", parts, options, "draft"), sources, badRows };
}

const partOfFold = { fit: "train", tune: "val", certify: "val", eval: "test" } as const;

/**
 * The published part of a text, so that examples are drawn from training texts only; without roles all texts are
 * training texts.
 */
function partOf({ fields }: TableText): "train" | "val" | "test" {
  return partOfFold[foldOfRole(fields.slices?.[roleSlice]) ?? "fit"];
}

function readTable(source: SourceFile, format: TableFormat, bad: BadRows): Table | Promise<Table> {
  switch (format.kind) {
    case "csv":
      return readCsv(source, format.delimiter, bad);
    case "jsonl":
      return readJsonRows(source, bad);
    case "parquet":
      return readParquet(source);
  }
}

function withoutCatalog(
  texts: readonly TableText[],
  options: TableOptions,
): Pick<ImportedDataset, "rows" | "catalog" | "workflowIds"> {
  const workflowIds = idsOfIntents(texts, options.knownIds);
  const rows = limitRows(texts, options, options.seed ?? 0).map(({ id, text, intent, fields }) => ({
    id,
    text,
    workflowId: intent === null ? null : (workflowIds.get(intent) ?? null),
    ...fields,
  }));
  return { rows, catalog: null, workflowIds };
}
