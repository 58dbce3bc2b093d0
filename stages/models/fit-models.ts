import type { ValuesOf } from "../../src/base/options.js";
import type { fitModelOptions } from "../options/model.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { unbounded } from "../../src/documents/run-scope.js";
import type { ModelHost } from "../../src/inference/models/local-models.js";
import { InferencePool } from "../../src/inference/pool.js";
import { parseRetrieverModel } from "../../src/router/retrieval/parse-retriever.js";
import type { ModelFiles } from "../../src/router/retrieval/model-files.js";
import type { EncodedText } from "../../src/documents/text-scores.js";
import { loadTextEncoder, type TextEncoder } from "../../src/router/retrieval/text-encoder.js";
import { type FitRetriever, fitVerifier, type VerifierSource } from "../../train/fit-verifier.js";
import { saveModel } from "../../store/records/save-model.js";
import { type Session, catalogOf as referencedCatalog } from "../../store/records/session.js";
import { basename, dirname, extname } from "node:path";
import { writeFolder } from "../../release/bundle-files/write-folder.js";
import { makeFolders } from "../../store/make-folders.js";
import { foldOf } from "../../datasets/split-by-workflow.js";
import { parseCatalog } from "../../src/router/catalog/load.js";
import type { Catalog, CatalogFile, Workflow } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { foldOfRow, removedWorkflows, type Split } from "../../src/documents/split.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { ImportedDataset } from "../../datasets/importers/imported-dataset.js";
import { readSource } from "../import/read-source.js";
import type { History } from "../../store/history/open.js";
import { readCatalog, readDataset, readSplit, type Stored, type Reference } from "../../store/records/read-records.js";
import { shortId } from "../../src/base/text.js";
import { linesOf } from "../../datasets/read-jsonl.js";
import { readDirectory } from "../../src/trust/directory-hash.js";
import { modelOf } from "../../store/records/model-of.js";
import { shippedFolder } from "../../store/shipped-models.js";
import { readInput } from "../../src/base/files.js";

export interface FitModelsOptions {
  /** Files of the retriever whose candidates the verifier will score. */
  readonly retriever: ModelFiles;
  readonly sources: readonly VerifierSource[];
  /** Number of catalogs drawn from the sources with and as many without examples; 0: the unchanged catalog of the only source. */
  readonly catalogs: number;
  /** Texts without a workflow. */
  readonly background: readonly string[];
  readonly seed: number;
  /** Folder for `retriever/` and `verifier/`. */
  readonly directory: string;
}

export interface FittedModels {
  readonly retriever: string;
  readonly verifier: string;
  readonly fit_requests: number;
  readonly pairs: number;
  readonly loss: number;
  readonly milliseconds: number;
}

/** Fits a verifier for a retriever, writes both directories atomically, and saves them in the history. */
export async function fitModels(session: Session, options: FitModelsOptions): Promise<FittedModels> {
  const { clock, progress, signal } = session.context;
  const started = clock();
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  let label = "";
  try {
    const verifier = await fitVerifier({
      ...options,
      retriever: await fitRetriever(options.retriever, pool),
      signal,
      onProgress: (step, done, total) => {
        if (step !== label) progress.start(step === "catalogs" ? "features" : "fitting", total);
        label = step;
        progress.update(done);
      },
    });
    progress.done();
    const models = { retriever: options.retriever, verifier: verifier.files };
    await writeModelFolders(options.directory, models);
    return {
      retriever: saveModel(session, "retriever", models.retriever),
      verifier: saveModel(session, "verifier", models.verifier),
      fit_requests: options.sources.reduce((sum, { requests }) => sum + requests.length, 0),
      pairs: verifier.pairs,
      loss: verifier.loss,
      milliseconds: clock() - started,
    };
  } finally {
    await pool.close();
  }
}

/** Loads a retriever in the calling thread; its encoder runs in the pool. */
async function fitRetriever(files: ModelFiles, pool: ModelHost): Promise<FitRetriever> {
  const model = parseRetrieverModel(files);
  const encoder = await loadTextEncoder(files, model, pool);
  return { model, encoder: encoder === null ? null : new RememberingEncoder(encoder) };
}

/** Encodes each distinct text once, because drawn catalogs repeat texts. */
class RememberingEncoder implements TextEncoder {
  readonly dimensions: number;
  readonly words: readonly string[];
  private readonly encoder: TextEncoder;
  private readonly known = new Map<string, EncodedText>();

  constructor(encoder: TextEncoder) {
    this.encoder = encoder;
    this.dimensions = encoder.dimensions;
    this.words = encoder.words;
  }

  async encode(text: string): Promise<EncodedText> {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const encoded = await this.encoder.encode(text, unbounded);
    this.known.set(text, encoded);
    return encoded;
  }
}

/** Writes `retriever/`, `verifier/` and other files into a folder, which is replaced atomically. */
async function writeModelFolders(
  directory: string,
  models: { readonly retriever: ModelFiles; readonly verifier: ModelFiles },
  others: ModelFiles = new Map(),
): Promise<void> {
  const inFolder = (folder: string, files: ModelFiles) =>
    [...files].map(([path, bytes]) => [`${folder}${path}`, bytes] as const);
  const all = [...inFolder("retriever/", models.retriever), ...inFolder("verifier/", models.verifier), ...others];
  await makeFolders(dirname(directory));
  await writeFolder({ directory, files: new Map(all), replace: true });
}

/** Training rows of an imported dataset: rows whose slice `part` is `train` or missing. */
export function importedSource(name: string, imported: ImportedDataset, catalogs: readonly Catalog[]): VerifierSource {
  const own = imported.catalog === null ? catalogs : [catalogOf(name, imported.catalog)];
  const requests = imported.rows.filter(({ slices }) => (slices?.["part"] ?? "train") === "train");
  const labels = new Set(requests.map(({ workflow_id: workflowId }) => workflowId));
  const known = new Map(own.flatMap(({ workflows }) => workflows).map((workflow) => [workflow.workflow_id, workflow]));
  const missing = [...labels].filter((id) => id !== null && !known.has(id));
  if (missing.length > 0) {
    throw new SluiceError("DOCUMENT_INVALID", `${name}: no catalog contains ${missing.slice(0, 5).join(", ")}`, {
      hint: say`Add the catalog of the labels: ${command`sluice model fit --data jsonl:requests.jsonl --catalog FILE --out FOLDER`}`,
    });
  }
  const workflows = [...known.values()].filter(({ workflow_id: workflowId }) => labels.has(workflowId));
  return source(name, workflows, requests);
}

const catalogOf = (name: string, file: CatalogFile): Catalog =>
  parseCatalog(canonicalBytes(file), `catalog of ${name}`);

/** Reads the FIT fold of a split in the history, and no other fold. @param id  default: the latest split */
function splitSource(history: History, id: string | undefined): VerifierSource {
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
/** Reads the given data. @throws {SluiceError} USAGE  none is given; DOCUMENT_INVALID, and the errors of reading */
export async function namedSources(
  history: History,
  { data, catalog, split }: ValuesOf<typeof fitModelOptions>,
): Promise<readonly VerifierSource[]> {
  const catalogs: Catalog[] = [];
  for (const named of catalog) catalogs.push((await referencedCatalog(history, named)).document);
  const sources: VerifierSource[] = [];
  for (const { kind: format, path: file } of data) {
    const plain = { mapped: false, language: "en", table: { mapping: { columns: {} } } };
    sources.push(importedSource(nameOf(file, sources), await readSource(file, format, plain), catalogs));
  }
  if (split !== undefined) sources.push(splitSource(history, split));
  if (sources.length > 0) return sources;
  throw new SluiceError("USAGE", "no labelled requests given, expected --data or --split", {
    hint: say`Name data: ${command`sluice model fit --data jsonl:requests.jsonl --catalog catalog.yaml --out FOLDER`}`,
  });
}

/** The name of a source: that of its file without the extension, numbered if repeated. */
function nameOf(file: string, sources: readonly VerifierSource[]): string {
  const own = basename(file, extname(file));
  const before = sources.filter(({ name }) => name.replace(/-\d+$/, "") === own).length;
  return before === 0 ? own : `${own}-${before + 1}`;
}

/** @throws {SluiceError} SPLIT_TOO_SMALL  the FIT fold has no workflow to fit a model on */
function requireFitWorkflows({ sha256, document }: Pick<Stored<Split>, "sha256" | "document">): void {
  if (document.folds.fit.workflows > 0) return;
  throw new SluiceError(
    "SPLIT_TOO_SMALL",
    `the FIT fold of split ${shortId(sha256)} has no workflow, expected at least 1`,
    {
      hint: say`Give fit a larger share: ${command`sluice dataset split --dataset ${shortId(document.dataset_sha256)} --shares 0.35,0.15,0.3,0.2`}; or label requests of more workflows.`,
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
export async function readBackgroundTexts(file: string | undefined): Promise<readonly string[]> {
  if (file === undefined) return [];
  return linesOf(await readInput(file), file);
}
