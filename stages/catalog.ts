import { command, say, type Text } from "../src/base/error.js";
import type { ValuesOf } from "../src/base/options.js";
import type { exportCatalogOptions } from "./options/catalog.js";
import { loadCatalog, requireProductionCatalog } from "../src/router/catalog/load.js";
import { writeNewFile } from "../src/base/files.js";
import { type CatalogDiff, diffCatalogs } from "../datasets/diff-catalogs.js";
import { type CatalogLint, examineCatalog } from "./catalog/lint-catalog.js";
import { readYaml } from "../src/router/catalog/read-yaml.js";
import { type Catalog, type CatalogFile, CatalogFileSchema } from "../src/documents/catalog.js";
import type { Reference } from "../store/records/read-records.js";
import { catalogOf, withHistory } from "../store/records/session.js";
import { shortId } from "../src/base/text.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { type ProductionProblem, productionProblems } from "../src/router/catalog/rules.js";
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { catalogYaml } from "../datasets/draft/draft-project.js";
import { csvLine } from "../datasets/csv-line.js";
import type { ExportForm } from "./choices.js";

export interface ReadCatalog {
  /** Name in messages: the file, or the beginning of the digest. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly file: CatalogFile;
  readonly catalog: Catalog;
}

/**
 * Reads a catalog from a file, from the history by id, or the latest in the history.
 * @throws {SluiceError} FILE_NOT_FOUND, RECORD_NOT_FOUND, RECORD_AMBIGUOUS, DOCUMENT_INVALID,
 *   CATALOG_INVALID
 */
export async function catalogSource(context: WorkbenchContext, reference: Reference | undefined): Promise<ReadCatalog> {
  if (reference?.kind === "file") {
    const { catalog, bytes } = await loadCatalog(reference.path);
    return { name: reference.path, bytes, catalog, file: readYaml(CatalogFileSchema, bytes, reference.path) };
  }
  return withHistory(context, "read", async ({ history }) => {
    const { sha256, bytes, document } = await catalogOf(history, reference);
    const name = `catalog ${shortId(sha256)}`;
    const kept = Buffer.from(bytes);
    return { name, bytes: kept, catalog: document, file: readYaml(CatalogFileSchema, kept, name) };
  });
}

/** A valid catalog file, and the problems that production would refuse. */
export interface CheckedCatalog {
  readonly catalog: Catalog;
  readonly problems: readonly string[];
  /** The problems with their lines in the file. */
  readonly warnings: readonly Text[];
}

/**
 * Checks a catalog file.
 * @param production  whether to refuse a catalog that cannot be released
 * @throws {SluiceError} FILE_NOT_FOUND, DOCUMENT_INVALID, CATALOG_INVALID
 */
export async function checkCatalog(file: string, production = false): Promise<CheckedCatalog> {
  const { catalog, bytes } = await loadCatalog(file);
  if (production) requireProductionCatalog(catalog);
  const problems = productionProblems(catalog).map(({ message }) => message);
  return { catalog, problems, warnings: productionWarnings({ catalog, bytes, name: file }) };
}

/**
 * Lints a catalog: by rules that need no model, and by how a retriever ranks each example if the catalog does not
 * contain it.
 * @param reference  default: the latest catalog in the history
 * @throws {SluiceError} as `catalogSource`; INTERRUPTED; and the errors of loading a model
 */
export async function lintCatalog(
  workbench: WorkbenchContext,
  reference: Reference | undefined,
  { measure }: { readonly measure: boolean },
): Promise<CatalogLint & { readonly name: string; readonly sha256: string }> {
  const { name, catalog } = await catalogSource(workbench, reference);
  return { name, sha256: catalog.sha256, ...(await examineCatalog(workbench, catalog, measure)) };
}

/**
 * Compares two catalogs workflow by workflow.
 * @param after  default: the latest catalog in the history
 * @throws {SluiceError} as `catalogSource`
 */
export async function compareCatalogs(
  workbench: WorkbenchContext,
  before: Reference,
  after: Reference | undefined,
): Promise<{ readonly before: string; readonly after: string; readonly diff: CatalogDiff }> {
  const a = await catalogSource(workbench, before);
  const b = await catalogSource(workbench, after);
  return { before: a.catalog.sha256, after: b.catalog.sha256, diff: diffCatalogs(a.catalog, b.catalog) };
}

/**
 * Exports a catalog. YAML and JSON contain the whole catalog and can be read back. CSV contains the examples, one per
 * line, in the columns text and workflow_id, which every importer recognises.
 * @throws {SluiceError} as `catalogSource`; FILE_EXISTS, WRITE_FAILED
 */
export async function exportCatalog(
  workbench: WorkbenchContext,
  { catalog: wanted, as: form, out }: ValuesOf<typeof exportCatalogOptions>,
): Promise<{ readonly name: string; readonly catalog: Catalog; readonly text: string }> {
  const { name, file, catalog } = await catalogSource(workbench, wanted);
  const text = textOf(file, form);
  if (out !== undefined) await writeNewFile(out, Buffer.from(text), 0o644);
  return { name, catalog, text };
}

function textOf(file: CatalogFile, form: ExportForm): string {
  switch (form) {
    case "yaml":
      return catalogYaml(file);
    case "json":
      return `${JSON.stringify(file, null, 2)}\n`;
    case "csv":
      return exampleLines(file);
  }
}

interface CatalogOnDisk {
  readonly catalog: Catalog;
  readonly bytes: Uint8Array;
  readonly name: string;
}

/**
 * Problems because of which `manifest create` would refuse the catalog, each with the line of its workflow.
 * @param limit  maximum number of listed problems; the rest are counted
 */
export function productionWarnings(
  { catalog, bytes, name }: CatalogOnDisk,
  limit = Number.POSITIVE_INFINITY,
): readonly Text[] {
  const problems = productionProblems(catalog);
  if (problems.length === 0) return [];
  const lines = workflowLines(bytes);
  const shown = problems.slice(0, limit).map((problem) => warning(problem, name, lines));
  const hidden = problems.length - shown.length;
  const more: Text = say`not ready for production: ${hidden} more; see all with: ${command`sluice catalog check ${name}`}`;
  return hidden > 0 ? [...shown, more] : shown;
}

function warning({ workflowId, message }: ProductionProblem, name: string, lines: ReadonlyMap<string, number>): string {
  const line = lines.get(workflowId);
  return `not ready for production: ${name}${line === undefined ? "" : `:${line}`}: ${message}`;
}

/**
 * The 1-based line at which each workflow of a catalog file begins, by id. Empty if the file is not a catalog. For a
 * repeated id, the first workflow counts.
 */
function workflowLines(bytes: Uint8Array): ReadonlyMap<string, number> {
  const lineCounter = new LineCounter();
  const document = parseDocument(Buffer.from(bytes).toString("utf8"), { lineCounter });
  const workflows = document.get("workflows");
  const lines = new Map<string, number>();
  if (!isSeq(workflows)) return lines;
  for (const item of workflows.items) {
    if (!isMap(item)) continue;
    const id = item.get("workflow_id", true);
    const offset = item.range?.[0];
    if (!isScalar(id) || typeof id.value !== "string" || offset === undefined || lines.has(id.value)) continue;
    lines.set(id.value, lineCounter.linePos(offset).line);
  }
  return lines;
}

function exampleLines({ workflows }: CatalogFile): string {
  const rows = workflows.flatMap(({ workflow_id: id, examples = [] }) => examples.map((text) => [text, id]));
  return `${[["text", "workflow_id"], ...rows].map(csvLine).join("\n")}\n`;
}
