import { foldOf } from "../../datasets/split-by-workflow.js";
import { parseCatalog } from "../../src/router/catalog/load.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import type { Catalog, CatalogFile, Workflow } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { foldOfRow, removedWorkflows, type Split } from "../../src/documents/split.js";
import { SluiceError } from "../../src/base/error.js";
import type { ImportedDataset } from "../../datasets/importers/imported-dataset.js";
import type { DatasetFormat } from "../choices.js";
import { readSource } from "../import/read-source.js";
import type { VerifierSource } from "../../train/fit-verifier.js";
import type { History } from "../../store/history/open.js";
import { readCatalog, readDataset, readSplit, type Stored, type Reference } from "../../store/records/read-records.js";
import { shortId } from "../../src/base/text.js";
import { catalogOf as referencedCatalog, type Session } from "../../store/records/session.js";
import { linesOf } from "../../datasets/read-jsonl.js";
import { readDirectory } from "../../src/trust/directory-hash.js";
import type { ModelFiles } from "../../src/router/retrieval/model-files.js";
import { modelOf } from "../../store/records/model-of.js";
import { shippedFolder } from "../../store/shipped-models.js";
import { readInput } from "../../src/base/files.js";

/** Training rows of an imported dataset: rows whose slice `part` is `train` or missing. */
export function importedSource(name: string, imported: ImportedDataset, catalogs: readonly Catalog[]): VerifierSource {
  const own = imported.catalog === null ? catalogs : [catalogOf(name, imported.catalog)];
  const requests = imported.rows.filter(({ slices }) => (slices?.["part"] ?? "train") === "train");
  const labels = new Set(requests.map(({ workflow_id: workflowId }) => workflowId));
  const known = new Map(own.flatMap(({ workflows }) => workflows).map((workflow) => [workflow.workflow_id, workflow]));
  const missing = [...labels].filter((id) => id !== null && !known.has(id));
  if (missing.length > 0) {
    throw new SluiceError("DATASET_INVALID", `${name}: no catalog contains ${missing.slice(0, 5).join(", ")}`, {
      hint: "Add the catalog of the labels: sluice model fit --data jsonl:requests.jsonl --catalog FILE --out FOLDER",
    });
  }
  const workflows = [...known.values()].filter(({ workflow_id: workflowId }) => labels.has(workflowId));
  return source(name, workflows, requests);
}

const catalogOf = (name: string, file: CatalogFile): Catalog =>
  parseCatalog(canonicalBytes(file), `catalog of ${name}`);

/** Reads the FIT fold of a split in the history, and no other fold. @param id  default: the latest split */
export function splitSource(history: History, id: string | undefined): VerifierSource {
  const split = readSplit(history, id);
  requireFitWorkflows(split);
  const catalog = readCatalog(history, split.document.catalog_sha256);
  const dataset = readDataset(history, split.document.dataset_sha256);
  const folds = foldOf(split.document);
  const removed = removedWorkflows(split.document);
  const requests = dataset.document
    .filter((row) => foldOfRow(row, folds) === "fit")
    .map((row): LabelledRequest => {
      return row.workflow_id !== null && removed.has(row.workflow_id) ? { ...row, workflow_id: null } : row;
    });
  const labels = new Set(requests.map(({ workflow_id: workflowId }) => workflowId));
  const workflows = catalog.document.workflows.filter(({ workflow_id: workflowId }) => labels.has(workflowId));
  return source(catalog.document.catalog_version, workflows, requests);
}

/** Workflows with the same name have the same meaning; a drawn catalog contains only one of them. */
const source = (
  name: string,
  workflows: readonly Workflow[],
  requests: readonly LabelledRequest[],
): VerifierSource => ({
  name,
  workflows,
  requests,
  groups: new Map(workflows.map((workflow) => [workflow.workflow_id, workflow.name])),
});

/** Labelled requests for training. */
export interface NamedData {
  readonly data: readonly { readonly kind: DatasetFormat; readonly path: string }[];
  /** Catalogs of the user's own data; published datasets have their own. */
  readonly catalog: readonly Reference[];
  /** Split whose FIT fold is used in addition. */
  readonly split: string | undefined;
}

/** Reads the given data. @throws {SluiceError} USAGE  none is given; DATASET_INVALID, and the errors of reading */
export async function namedSources(
  history: History,
  { data, catalog, split }: NamedData,
): Promise<readonly VerifierSource[]> {
  const catalogs: Catalog[] = [];
  for (const named of catalog) catalogs.push((await referencedCatalog(history, named)).document);
  const sources: VerifierSource[] = [];
  for (const { kind: format, path: file } of data) {
    const plain = { mapped: false, delimiter: ",", language: "en", table: { mapping: { columns: {} } } };
    sources.push(importedSource(nameOf(format, sources), await readSource(file, format, plain), catalogs));
  }
  if (split !== undefined) sources.push(splitSource(history, split));
  if (sources.length > 0) return sources;
  throw new SluiceError("USAGE", "no labelled requests given, expected --data or --split", {
    hint: "Name data: sluice model fit --data jsonl:requests.jsonl --catalog catalog.yaml --out FOLDER",
  });
}

/** The name of a source: its format, numbered if repeated. */
function nameOf(format: string, sources: readonly VerifierSource[]): string {
  const before = sources.filter(({ name }) => name.replace(/-\d+$/, "") === format).length;
  return before === 0 ? format : `${format}-${before + 1}`;
}

/** @throws {SluiceError} SPLIT_TOO_SMALL  the FIT fold has no workflow to fit a model on */
export function requireFitWorkflows({ sha256, document }: Pick<Stored<Split>, "sha256" | "document">): void {
  if (document.folds.fit.workflows > 0) return;
  throw new SluiceError(
    "SPLIT_TOO_SMALL",
    `the FIT fold of split ${shortId(sha256)} has no workflow, expected at least 1`,
    {
      hint:
        `Give fit a larger share: sluice dataset split --dataset ${shortId(document.dataset_sha256)} ` +
        "--shares 0.35,0.15,0.3,0.2; or label requests of more workflows.",
    },
  );
}

/** Files of the given retriever, otherwise of the shipped one. @throws {SluiceError} as `modelOf` */
export async function retrieverToFitFor(session: Session, reference: Reference | undefined): Promise<ModelFiles> {
  if (reference !== undefined) return (await modelOf(session, "retriever", reference)).files;
  return (await readDirectory(shippedFolder("default", "retriever"))).files;
}

/**
 * Reads texts from a file, one per line, plain or gzip; empty without a file. @throws {SluiceError} errors of reading
 */
export async function readBackground(file: string | undefined): Promise<readonly string[]> {
  if (file === undefined) return [];
  return linesOf(await readInput(file), file);
}
