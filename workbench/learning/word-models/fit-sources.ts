import { basename } from "node:path";
import { foldOf } from "../../../datasets/split-by-workflow.js";
import { parseCatalog } from "../../../src/catalog/load.js";
import { parseYaml } from "../../../src/catalog/parse-yaml.js";
import { canonicalBytes } from "../../../src/digest/canonical-json.js";
import type { Catalog, CatalogFile } from "../../../src/domain/catalog.js";
import type { LabelledRequest } from "../../../src/domain/dataset.js";
import { foldOfRow, removedWorkflows } from "../../../src/domain/split.js";
import { SluiceError } from "../../../src/errors/error.js";
import type { History } from "../../history/open.js";
import type { FitTask } from "../../fit/verification/fit-task.js";
import type { DataSource, ImportedDataset } from "../../../datasets/importers/imported-dataset.js";
import { readCatalog, readDataset, readSplit } from "../../records/read-records.js";
import { requireFitWorkflows } from "../require-fit-workflows.js";

/** What the model card says of one source of labelled requests. */
export interface SourceCard {
  readonly name: string;
  readonly files: readonly DataSource[];
  readonly requests: number;
  readonly workflows: number;
}

export interface FitSource {
  readonly task: FitTask;
  readonly card: SourceCard;
}

/** Training rows of an imported dataset: those whose slice `part` is `train`, or that have none. */
export function importedSource(name: string, imported: ImportedDataset, catalogs: readonly Catalog[]): FitSource {
  const own = imported.catalog === null ? catalogs : [catalogOf(name, imported.catalog)];
  const requests = imported.rows.filter(({ slices }) => (slices?.["part"] ?? "train") === "train");
  const labels = new Set(requests.map(({ workflowId }) => workflowId));
  const known = new Map(own.flatMap(({ workflows }) => workflows).map((workflow) => [workflow.workflowId, workflow]));
  const missing = [...labels].filter((id) => id !== null && !known.has(id));
  if (missing.length > 0) {
    throw new SluiceError("DATASET_INVALID", `${name}: no catalog contains ${missing.slice(0, 5).join(", ")}`, {
      hint: "Add the catalog of the labels: --catalog FILE",
    });
  }
  const workflows = [...known.values()].filter(({ workflowId }) => labels.has(workflowId));
  return source({ name, workflows, requests }, imported.sources.map(named));
}

const catalogOf = (name: string, file: CatalogFile): Catalog =>
  parseCatalog(canonicalBytes(file), `catalog of ${name}`);

/** The FIT fold of a split in the history; no other fold is read. @param id  by default the latest */
export function splitSource(history: History, id: string | undefined): FitSource {
  const split = readSplit(history, id);
  requireFitWorkflows(split);
  const catalog = readCatalog(history, split.document.catalog_sha256);
  const dataset = readDataset(history, split.document.dataset_sha256);
  const folds = foldOf(split.document);
  const removed = removedWorkflows(split.document);
  const requests = dataset.document
    .filter((row) => foldOfRow(row, folds) === "fit")
    .map((row): LabelledRequest => {
      return row.workflowId !== null && removed.has(row.workflowId) ? { ...row, workflowId: null } : row;
    });
  const labels = new Set(requests.map(({ workflowId }) => workflowId));
  const workflows = catalog.document.workflows.filter(({ workflowId }) => labels.has(workflowId));
  const licence = licenceOf(catalog.bytes);
  const files = [
    { file: "split", sha256: split.sha256, licence },
    { file: "dataset", sha256: dataset.sha256, licence },
    { file: "catalog", sha256: catalog.sha256, licence },
  ];
  return source({ name: catalog.document.catalogVersion, workflows, requests }, files);
}

function source(task: FitTask, files: SourceCard["files"]): FitSource {
  const { name, requests, workflows } = task;
  return { task, card: { name, files, requests: requests.length, workflows: workflows.length } };
}

/** The name of a file without its folders: the card must not depend on the data's location. */
const named = ({ file, sha256, licence }: DataSource): DataSource => ({ file: basename(file), sha256, licence });

/** What a catalog says of its licence in its metadata, or null. */
function licenceOf(catalogBytes: Buffer): string | null {
  const { metadata } = parseYaml(catalogBytes, "catalog") as CatalogFile;
  const licence = metadata?.["licence"];
  return typeof licence === "string" ? licence : null;
}
