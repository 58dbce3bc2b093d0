import { counted } from "../src/documents/number-text.js";
import type { Text } from "../src/base/error.js";
import { type OptionsOf, resolveOptions, type ValuesOf } from "../src/base/options.js";
import { type describeOptions, importDatasetOptions } from "./options/dataset.js";
import { dropRepeated } from "../datasets/repeated-field.js";
import { type DatasetDescription, describeDataset } from "../datasets/describe.js";
import type { BadRow } from "../datasets/bad-rows.js";
import type { DataSource, ImportedDataset } from "../datasets/importers/imported-dataset.js";
import { readJsonl } from "../datasets/read-jsonl.js";
import { parseCatalog } from "../src/router/catalog/load.js";
import { productionProblemLines } from "../src/router/catalog/rules.js";
import { productionWarnings } from "./catalog.js";
import type { Catalog, CatalogFile } from "../src/documents/catalog.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import { openIdFile } from "./split.js";
import { readInput } from "../src/base/files.js";
import { withCallerLists } from "./import/caller-lists.js";
import { saveDataset } from "./import/save-dataset.js";
import type { MappedField } from "../datasets/importers/column-mapping.js";
import { SluiceError } from "../src/base/error.js";
import { givenOnly } from "./choices.js";
import { readSource, type ReadSourceOptions } from "./import/read-source.js";
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

/** A file or folder, or requests in memory, and how it is read. */
export type ImportDatasetOptions = OptionsOf<typeof importDatasetOptions>;
type Import = ValuesOf<typeof importDatasetOptions>;

export interface DatasetOnRecord {
  readonly dataset: string;
  /** Time at which the same rows were first imported, UTC; null for a new dataset. */
  readonly known_since: string | null;
  /** Id of the catalog; null if neither the caller nor the source provided one. A split requires a catalog. */
  readonly catalog: string | null;
  readonly requests: number;
  readonly out_of_scope: number;
  /** Number of workflows with a request. */
  readonly workflows: number;
  readonly sources: readonly DataSource[];
  /** Faults of the rows that were left out; empty unless `maxBadRows` allowed some. */
  readonly bad_rows: readonly BadRow[];
  /** Number of requests left out as near-duplicates. */
  readonly repeated_left_out: number;
  /** Number of texts of the source that became examples of its drafted catalog; 0 without a drafted catalog. */
  readonly catalog_examples: number;
  /** Workflow ids by label, for labels that are not workflow ids themselves. */
  readonly mapped_labels: Readonly<Record<string, string>>;
  readonly warnings: readonly Text[];
}

/**
 * Saves labelled requests and their catalog in the history. Equal rows are the same dataset, regardless of their file.
 *
 * @example await importDataset(workbench, { file: "requests.jsonl", format: "jsonl",
 *   catalog: { kind: "file", path: "catalog.yaml" } });
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, DOCUMENT_INVALID
 */
export async function importDataset(
  workbench: WorkbenchContext,
  options: ImportDatasetOptions,
): Promise<DatasetOnRecord> {
  const given = resolveOptions("importDataset", importDatasetOptions, options);
  const { grants } = given;
  const idsFile = given.idsFile === undefined ? null : await openIdFile(given.idsFile);
  const read = await readRows(given, idsFile?.ids);
  const kept = given.dropRepeated ? dropRepeated(read.rows) : read.rows;
  const repeatedLeftOut = read.rows.length - kept.length;
  const rows = grants === undefined ? kept : withCallerLists(kept, { path: grants, bytes: await readInput(grants) });
  return withHistory(workbench, "write", async (session) => {
    const catalog = await catalogFor(session.history, read, given);
    if (catalog !== null) saveRecord(session, "catalog", catalog.bytes);
    const saved = saveDataset(session, rows, {
      format: given.requests === undefined ? given.format : "requests",
      sources: read.sources,
      bad_rows: read.badRows,
      repeated_left_out: repeatedLeftOut,
      mapped_labels: mappedLabels(read),
    });
    if (read.workflowIds !== undefined) await idsFile?.save(read.workflowIds);
    const first = saved.known ? findEntry(session.history, "dataset", saved.sha256) : undefined;
    const { sources, badRows } = read;
    const labels = rows.flatMap((row) => row.workflow_id ?? []);
    return {
      dataset: saved.sha256,
      known_since: first?.at ?? null,
      catalog: catalog?.sha256 ?? null,
      requests: rows.length,
      out_of_scope: rows.length - labels.length,
      workflows: new Set(labels).size,
      sources,
      bad_rows: badRows,
      repeated_left_out: repeatedLeftOut,
      catalog_examples: examplesOf(read.catalog),
      mapped_labels: mappedLabels(read),
      warnings: [
        ...leftOut(badRows),
        ...(catalog === null ? noCatalog : unknownLabels(labels, catalog.document)),
        ...(catalog === null ? [] : notReady(catalog, given.catalog)),
      ],
    };
  });
}

const noCatalog = ["no catalog: splitting requires the catalog of these labels (--catalog FILE, or --draft-catalog)"];

function leftOut(badRows: readonly BadRow[]): readonly string[] {
  const places = [...new Set(badRows.map(({ file, at }) => `${file} ${at}`))];
  return places.length === 0 ? [] : [`skipped ${counted(places.length, "invalid row")} (${places.join(", ")})`];
}

function unknownLabels(labels: readonly string[], { workflows, catalog_version: version }: Catalog): readonly string[] {
  const known = new Set<string>(workflows.map(({ workflow_id: id }) => id));
  const strange = labels.filter((label) => !known.has(label)).length;
  if (strange === 0) return [];
  return [
    `${counted(strange, "request has a label that is", "requests have labels that are")} missing from catalog ${version}`,
  ];
}

const mappedLabels = ({ workflowIds = new Map() }: ImportedDataset): Readonly<Record<string, string>> =>
  Object.fromEntries([...workflowIds].filter(([label, id]) => label !== id));

const examplesOf = (catalog: ImportedDataset["catalog"]): number =>
  (catalog?.workflows ?? []).reduce((sum, { examples = [] }) => sum + examples.length, 0);

/** @param knownIds  workflow ids by label, chosen by a person */
async function readRows(
  given: Import,
  knownIds: ReadonlyMap<string, WorkflowId> = new Map(),
): Promise<ImportedDataset> {
  const { requests, file } = given;
  if (requests !== undefined) {
    const bytes = Buffer.from(requests.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return { rows: readJsonl(bytes, "requests"), catalog: null, sources: [], badRows: [] };
  }
  if (file !== undefined) return readSource(file, given.format, readingOf(given, knownIds));
  throw new SluiceError("ARGUMENT_INVALID", "importDataset: found no source, expected `file` or `requests`", {
    hint: "Pass one of them.",
  });
}

/** Options that a source of any kind may have; the others make it a table. */
const ofAnySource = new Set(["text", "workflow", "outOfScopeValues"]);

function readingOf(given: Import, knownIds: ReadonlyMap<string, WorkflowId>): ReadSourceOptions {
  const { sliceColumns, roleColumn, outOfScopeValue, draftCatalog, maxBadRows, examplesPerWorkflow, seed } = given;
  const columns = givenOnly({
    text: given.textColumn,
    workflow: given.workflowColumn,
    id: given.idColumn,
    group: given.groupColumn,
    allowed: given.allowedColumn,
    missing: given.missingColumn,
    context: given.contextColumn,
    event: given.eventColumn,
  }) satisfies Readonly<Partial<Record<MappedField, string>>>;
  const outOfScopeValues = outOfScopeValue.length === 0 ? undefined : outOfScopeValue;
  const further = givenOnly({ outOfScopeValues, sliceColumns, roleColumn });
  const limits = { maxRowsPerWorkflow: given.maxRowsPerWorkflow, maxOutOfScopeRows: given.maxOutOfScope };
  return {
    mapped: draftCatalog || [...Object.keys(columns), ...Object.keys(further)].some((field) => !ofAnySource.has(field)),
    language: given.language,
    table: {
      knownIds,
      mapping: { columns, ...further },
      draftCatalog,
      maxBadRows,
      examplesPerWorkflow,
      seed,
      ...givenOnly(limits),
    },
  };
}

const withOwner = (catalog: CatalogFile, owner: string): CatalogFile => ({
  ...catalog,
  workflows: catalog.workflows.map((workflow) => ({ ...workflow, owner: workflow.owner ?? owner })),
});

/** Maximum number of listed problems of the catalog; `sluice catalog check` lists all. */
const shownProblems = 5;

/** Reasons why the catalog cannot be released, reported early, before anyone works with it. */
function notReady({ document, bytes }: Stored<Catalog>, named: Reference | undefined): readonly Text[] {
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
  { catalog: named, owner }: Import,
): Promise<Stored<Catalog> | null> {
  if (named !== undefined) return catalogOf(history, named);
  if (imported.catalog === null) return null;
  const owned = owner === undefined ? imported.catalog : withOwner(imported.catalog, owner);
  const bytes = Buffer.from(`${JSON.stringify(owned, null, 2)}\n`, "utf8");
  const document = parseCatalog(bytes, "the catalog of the source");
  return { sha256: document.sha256, bytes, document };
}

/**
 * Describes a dataset: counts by workflow, risk tier, slice and fold, and the lengths of its texts.
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS
 */
export async function describeStoredDataset(
  workbench: WorkbenchContext,
  options: ValuesOf<typeof describeOptions>,
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
