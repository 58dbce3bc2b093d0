import { dropRepeated } from "../datasets/drop-repeated.js";
import type { BadRow } from "../datasets/bad-rows.js";
import type { DataSource, ImportedDataset } from "../datasets/importers/imported-dataset.js";
import type { TableOptions } from "../datasets/importers/table.js";
import { readJsonl } from "../datasets/read-jsonl.js";
import { parseCatalog } from "../src/router/catalog/load.js";
import type { Catalog, CatalogFile } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import { openIdFile } from "./split/id-file.js";
import { saveDataset } from "./import/save-dataset.js";
import type { DatasetFormat } from "./choices.js";
import { readSource } from "./import/read-source.js";
import type { History } from "../store/history/open.js";
import { findEntry } from "../store/history/read.js";
import type { Stored } from "../store/records/read-records.js";
import type { Reference } from "../store/records/reference.js";
import { saveRecord } from "../store/records/session.js";
import { catalogOf, withHistory } from "../store/records/with-history.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

/** A file or folder in one of the formats that Sluice reads. */
export interface FileSource {
  readonly kind: "file";
  /** A file; for banking77 and sgd a folder, for auto either. */
  readonly path: string;
  readonly format: DatasetFormat;
  /** Columns of a table, limits, and whether a catalog is drafted from the labels. */
  readonly table?: TableOptions;
  /** Reads JSONL as a table with the columns of `table`, instead of as Sluice's own format. Default false. */
  readonly mapped?: boolean;
  /** csv: one character. Default a comma. */
  readonly delimiter?: string;
  /** auto: language of the phrases. Default: English if there is any, else the one with the most phrases. */
  readonly language?: string | undefined;
  /** CSV that maps labels to workflow ids; read when it exists, else written. Default: ids are derived. */
  readonly idsFile?: string | undefined;
}

/** Labelled requests in memory, checked like those of a file. */
export interface RequestSource {
  readonly kind: "requests";
  readonly requests: readonly (Omit<LabelledRequest, "workflow_id"> & { readonly workflow_id: string | null })[];
}

/** What is imported, and with which catalog. */
export interface ImportDatasetOptions {
  readonly source: FileSource | RequestSource;
  /** Catalog of the labels. Default: the catalog of the source, else none. */
  readonly catalog?: Reference | undefined;
  /** Leaves out requests that nearly repeat an earlier one. Default false. */
  readonly dropRepeated?: boolean;
  /** Owner of the workflows of the source that name none; production requires one. Default: they have none. */
  readonly owner?: string | undefined;
}

/** What `importDataset` saved. */
export interface DatasetOnRecord {
  readonly datasetId: string;
  /** When the same rows were imported first, UTC; null for a new dataset. */
  readonly knownSince: string | null;
  readonly requests: readonly LabelledRequest[];
  /** null when none was named and the source has none; a split needs one. */
  readonly catalog: Stored<Catalog> | null;
  readonly sources: readonly DataSource[];
  /** Faults of the rows that were left out; empty unless `table.maxBadRows` allowed some. */
  readonly badRows: readonly BadRow[];
  /** Requests that were left out because they nearly repeat another. */
  readonly repeatedLeftOut: number;
  /** Texts of the source that became examples of the catalog that was made from it; 0 when none was made. */
  readonly catalogExamples: number;
  /** Workflow ids by label, of the labels that are no workflow ids themselves. */
  readonly mappedLabels: Readonly<Record<string, string>>;
}

/**
 * Saves labelled requests and their catalog in the history. The same rows are one dataset, regardless of their file.
 *
 * @example await importDataset(workbench, { source: { kind: "file", path: "requests.jsonl", format: "jsonl" },
 *   catalog: { kind: "file", path: "catalog.yaml" }, });
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, SYNTAX_INVALID, SCHEMA_INVALID, DATASET_EMPTY, DATASET_INVALID
 */
export async function importDataset(
  workbench: WorkbenchContext,
  options: ImportDatasetOptions,
): Promise<DatasetOnRecord> {
  const { source } = options;
  const idsFile = source.kind === "file" && source.idsFile !== undefined ? await openIdFile(source.idsFile) : null;
  const read = await readRows(source, idsFile?.ids);
  const rows = options.dropRepeated === true ? dropRepeated(read.rows) : read.rows;
  const repeatedLeftOut = read.rows.length - rows.length;
  return withHistory(workbench, "write", async (session) => {
    const catalog = await catalogFor(session.history, read, options);
    if (catalog !== null) saveRecord(session, "catalog", catalog.bytes);
    const kept = saveDataset(session, rows, {
      format: source.kind === "file" ? source.format : "requests",
      sources: read.sources,
      bad_rows: read.badRows,
      repeated_left_out: repeatedLeftOut,
      mapped_labels: mappedLabels(read),
    });
    if (read.workflowIds !== undefined) await idsFile?.save(read.workflowIds);
    const first = kept.known ? findEntry(session.history, "dataset", kept.sha256) : undefined;
    const { sources, badRows } = read;
    return {
      datasetId: kept.sha256,
      knownSince: first?.at ?? null,
      requests: rows,
      catalog,
      sources,
      badRows,
      repeatedLeftOut,
      catalogExamples: examplesOf(read.catalog),
      mappedLabels: mappedLabels(read),
    };
  });
}

const mappedLabels = ({ workflowIds = new Map() }: ImportedDataset): Readonly<Record<string, string>> =>
  Object.fromEntries([...workflowIds].filter(([label, id]) => label !== id));

const examplesOf = (catalog: ImportedDataset["catalog"]): number =>
  (catalog?.workflows ?? []).reduce((sum, { examples = [] }) => sum + examples.length, 0);

/** @param knownIds  workflow ids by label that a person chose */
async function readRows(
  source: FileSource | RequestSource,
  knownIds: ReadonlyMap<string, WorkflowId> = new Map(),
): Promise<ImportedDataset> {
  if (source.kind === "requests") {
    const bytes = Buffer.from(source.requests.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return { rows: readJsonl(bytes, "requests"), catalog: null, sources: [], badRows: [] };
  }
  const { path, format, table = {}, mapped = false, delimiter = ",", language } = source;
  return readSource(path, format, { table: { knownIds, ...table }, mapped, delimiter, language });
}

const withOwner = (catalog: CatalogFile, owner: string): CatalogFile => ({
  ...catalog,
  workflows: catalog.workflows.map((workflow) => ({ ...workflow, owner: workflow.owner ?? owner })),
});

/** The catalog that the caller named, else the source's with the owner that the caller named, else none. */
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
