import { optionsOf, requireOptions } from "./checked-options.js";
import { dropRepeated } from "../datasets/repeated-field.js";
import { type DatasetDescription, describeDataset } from "../datasets/describe.js";
import type { BadRow } from "../datasets/bad-rows.js";
import type { DataSource, ImportedDataset } from "../datasets/importers/imported-dataset.js";
import type { TableOptions } from "../datasets/importers/table.js";
import { readJsonl } from "../datasets/read-jsonl.js";
import { parseCatalog } from "../src/router/catalog/load.js";
import { productionProblemLines } from "../src/router/catalog/rules.js";
import { productionWarnings } from "./catalog.js";
import type { Catalog, CatalogFile } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import { openIdFile } from "./split.js";
import { readInput } from "../src/base/files.js";
import { withCallerLists } from "./import/caller-lists.js";
import { saveDataset } from "./import/save-dataset.js";
import type { DatasetFormat } from "./choices.js";
import { readSource } from "./import/read-source.js";
import type { History } from "../store/history/open.js";
import { findEntry, latestEntry } from "../store/history/read.js";
import {
  latestSplitOf,
  readCatalogOf,
  readDataset,
  readSplit,
  type Stored,
  type Reference,
} from "../store/records/read-records.js";
import { saveRecord, catalogOf, withHistory } from "../store/records/session.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

export interface FileSource {
  readonly kind: "file";
  /** A file; for auto also a folder. */
  readonly path: string;
  readonly format: DatasetFormat;
  /** Columns of a table, limits, and whether to draft a catalog from the labels. */
  readonly table?: TableOptions;
  /** Whether auto reads the source as a table with the columns of `table`. Default false. */
  readonly mapped?: boolean;
  /** Language of the phrases for auto. Default: English if present, otherwise the language with the most phrases. */
  readonly language?: string | undefined;
  /**
   * CSV file that maps labels to workflow ids; read if it exists, otherwise written. Default: ids are derived from the
   * labels.
   */
  readonly idsFile?: string | undefined;
}

/** Labelled requests in memory, validated like those of a file. */
export interface RequestSource {
  readonly kind: "requests";
  readonly requests: readonly (Omit<LabelledRequest, "workflow_id"> & { readonly workflow_id: string | null })[];
}

export interface ImportDatasetOptions {
  readonly source: FileSource | RequestSource;
  /** Catalog of the labels. Default: the catalog of the source, otherwise none. */
  readonly catalog?: Reference | undefined;
  /** Whether to leave out near-duplicates of earlier requests. Default false. */
  readonly dropRepeated?: boolean;
  /** Owner of workflows of the source that have none; production requires one. Default: none. */
  readonly owner?: string | undefined;
  /** Grant policy, of which each request gets the list of one rule; see `withCallerLists`. Default: none. */
  readonly grants?: string | undefined;
}

export interface DatasetOnRecord {
  readonly datasetId: string;
  /** Time at which the same rows were first imported, UTC; null for a new dataset. */
  readonly knownSince: string | null;
  readonly requests: readonly LabelledRequest[];
  /** The catalog; null if neither the caller nor the source provided one. A split requires a catalog. */
  readonly catalog: Stored<Catalog> | null;
  readonly sources: readonly DataSource[];
  /** Faults of the rows that were left out; empty unless `table.maxBadRows` allowed some. */
  readonly badRows: readonly BadRow[];
  /** Number of requests left out as near-duplicates. */
  readonly repeatedLeftOut: number;
  /** Number of texts of the source that became examples of its drafted catalog; 0 without a drafted catalog. */
  readonly catalogExamples: number;
  /** Reasons why the catalog cannot be released yet; empty if it can, or without a catalog. */
  readonly notReady: readonly string[];
  /** Workflow ids by label, for labels that are not workflow ids themselves. */
  readonly mappedLabels: Readonly<Record<string, string>>;
}

const importDatasetOptions = optionsOf<ImportDatasetOptions>()({
  object: ["source", "catalog"],
  boolean: ["dropRepeated"],
  string: ["owner", "grants"],
});

/**
 * Saves labelled requests and their catalog in the history. Equal rows are the same dataset, regardless of their file.
 *
 * @example await importDataset(workbench, { source: { kind: "file", path: "requests.jsonl", format: "jsonl" },
 *   catalog: { kind: "file", path: "catalog.yaml" }, });
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, DOCUMENT_INVALID
 */
export async function importDataset(
  workbench: WorkbenchContext,
  options: ImportDatasetOptions,
): Promise<DatasetOnRecord> {
  requireOptions("importDataset", options, importDatasetOptions);
  const { source } = options;
  const idsFile = source.kind === "file" && source.idsFile !== undefined ? await openIdFile(source.idsFile) : null;
  const read = await readRows(source, idsFile?.ids);
  const kept = options.dropRepeated === true ? dropRepeated(read.rows) : read.rows;
  const repeatedLeftOut = read.rows.length - kept.length;
  const rows =
    options.grants === undefined
      ? kept
      : withCallerLists(kept, { path: options.grants, bytes: await readInput(options.grants) });
  return withHistory(workbench, "write", async (session) => {
    const catalog = await catalogFor(session.history, read, options);
    if (catalog !== null) saveRecord(session, "catalog", catalog.bytes);
    const saved = saveDataset(session, rows, {
      format: source.kind === "file" ? source.format : "requests",
      sources: read.sources,
      bad_rows: read.badRows,
      repeated_left_out: repeatedLeftOut,
      mapped_labels: mappedLabels(read),
    });
    if (read.workflowIds !== undefined) await idsFile?.save(read.workflowIds);
    const first = saved.known ? findEntry(session.history, "dataset", saved.sha256) : undefined;
    const { sources, badRows } = read;
    return {
      datasetId: saved.sha256,
      knownSince: first?.at ?? null,
      requests: rows,
      catalog,
      sources,
      badRows,
      repeatedLeftOut,
      catalogExamples: examplesOf(read.catalog),
      notReady: catalog === null ? [] : notReady(catalog, options.catalog),
      mappedLabels: mappedLabels(read),
    };
  });
}

const mappedLabels = ({ workflowIds = new Map() }: ImportedDataset): Readonly<Record<string, string>> =>
  Object.fromEntries([...workflowIds].filter(([label, id]) => label !== id));

const examplesOf = (catalog: ImportedDataset["catalog"]): number =>
  (catalog?.workflows ?? []).reduce((sum, { examples = [] }) => sum + examples.length, 0);

/** @param knownIds  workflow ids by label, chosen by a person */
async function readRows(
  source: FileSource | RequestSource,
  knownIds: ReadonlyMap<string, WorkflowId> = new Map(),
): Promise<ImportedDataset> {
  if (source.kind === "requests") {
    const bytes = Buffer.from(source.requests.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return { rows: readJsonl(bytes, "requests"), catalog: null, sources: [], badRows: [] };
  }
  const { path, format, table = {}, mapped = false, language } = source;
  return readSource(path, format, { table: { knownIds, ...table }, mapped, language });
}

const withOwner = (catalog: CatalogFile, owner: string): CatalogFile => ({
  ...catalog,
  workflows: catalog.workflows.map((workflow) => ({ ...workflow, owner: workflow.owner ?? owner })),
});

/** Maximum number of listed problems of the catalog; `sluice catalog check` lists all. */
const shownProblems = 5;

/** Reasons why the catalog cannot be released, reported early, before anyone works with it. */
function notReady({ document, bytes }: Stored<Catalog>, named: Reference | undefined): readonly string[] {
  if (named?.kind === "file") {
    return productionWarnings({ catalog: document, bytes, name: named.path }, shownProblems);
  }
  const remedy = named === undefined ? "; import again with --owner NAME for a catalog that can be released" : "";
  return productionProblemLines(document).map((line) => `not ready for production: ${line}${remedy}`);
}

/** The catalog specified by the caller, otherwise the source's with the given owner, otherwise none. */
async function catalogFor(
  history: History,
  imported: ImportedDataset,
  { catalog: named, owner }: ImportDatasetOptions,
): Promise<Stored<Catalog> | null> {
  if (named !== undefined) return catalogOf(history, named);
  if (imported.catalog === null) return null;
  const owned = owner === undefined ? imported.catalog : withOwner(imported.catalog, owner);
  const bytes = Buffer.from(`${JSON.stringify(owned, null, 2)}\n`, "utf8");
  const document = parseCatalog(bytes, "the catalog of the source");
  return { sha256: document.sha256, bytes, document };
}

export interface DescribeDatasetOptions {
  /** Dataset id or its beginning. Default: the dataset of the split, otherwise the latest. */
  readonly dataset?: string | undefined;
  /** Split whose folds are counted. Default: the latest split of the dataset. */
  readonly split?: string | undefined;
  /** Default: the catalog of its labels, if the history has one. */
  readonly catalog?: Reference | undefined;
}

/**
 * Describes a dataset: counts by workflow, risk tier, slice and fold, and the lengths of its texts.
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS
 */
export async function describeStoredDataset(
  workbench: WorkbenchContext,
  options: DescribeDatasetOptions = {},
): Promise<{ readonly datasetId: string; readonly description: DatasetDescription }> {
  return withHistory(workbench, "read", async ({ history }) => {
    const named = options.split === undefined ? undefined : readSplit(history, options.split);
    const dataset = readDataset(history, options.dataset ?? named?.document.dataset_sha256);
    const split = named ?? latestSplitOf(history, dataset.sha256);
    const hasCatalog = latestEntry(history, "catalog") !== undefined;
    const found = hasCatalog ? readCatalogOf(history, dataset.document) : undefined;
    const catalog = options.catalog === undefined ? found : await catalogOf(history, options.catalog);
    const description = describeDataset(dataset.document, {
      ...(catalog === undefined ? {} : { catalog: catalog.document }),
      ...(split?.document.dataset_sha256 === dataset.sha256 ? { split: split.document } : {}),
    });
    return { datasetId: dataset.sha256, description };
  });
}
