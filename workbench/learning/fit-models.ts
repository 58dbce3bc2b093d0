import { foldOf } from "../../datasets/split-by-workflow.js";
import { defaultPolicy } from "../../src/domain/policy.js";
import { foldOfRow, removedWorkflows } from "../../src/domain/split.js";
import { InferencePool } from "../../src/inference/pool.js";
import {
  fitLexicalModels,
  type LexicalFitOptions,
  type LexicalModels,
} from "../fit/verification/fit-lexical-models.js";
import { keepModel } from "../records/keep-model.js";
import { readCatalog, readDataset, readSplit } from "../records/read-records.js";
import { requireFitWorkflows } from "./require-fit-workflows.js";
import type { Stage } from "../records/stage.js";
import { writeModelFolders } from "./write-model-folders.js";

export interface FitModelsOptions {
  readonly splitId?: string;
  readonly seed: number;
  /** Folder that gets `retriever/` and `verifier/`. */
  readonly directory: string;
}

export interface FittedModels {
  readonly retriever: string;
  readonly verifier: string;
  readonly fitRequests: number;
  readonly pairs: number;
  readonly loss: number;
  readonly milliseconds: number;
}

const fitPool = { workers: 1, queueLimit: 64 };

/** Fits the default models on the FIT fold, writes both directories atomically, and saves them in the history. */
export async function fitModels(stage: Stage, options: FitModelsOptions): Promise<FittedModels> {
  const started = stage.context.clock();
  const split = readSplit(stage.history, options.splitId);
  requireFitWorkflows(split);
  const catalog = readCatalog(stage.history, split.document.catalog_sha256);
  const dataset = readDataset(stage.history, split.document.dataset_sha256);
  const folds = foldOf(split.document);
  const removed = removedWorkflows(split.document);
  const fitRequests = dataset.document
    .filter((row) => foldOfRow(row, folds) === "fit")
    .map((row) => (row.workflowId !== null && removed.has(row.workflowId) ? { ...row, workflowId: null } : row));

  const models = await fitWithOwnPool(stage, {
    catalog: catalog.document,
    fitRequests,
    fittedOn: { datasetSha256: dataset.sha256, splitSha256: split.sha256, catalogSha256: catalog.sha256 },
    topK: defaultPolicy.top_k,
    seed: options.seed,
  });
  stage.context.progress.done();

  await writeModelFolders(options.directory, models);
  return {
    retriever: keepModel(stage, "retriever", models.retriever),
    verifier: keepModel(stage, "verifier", models.verifier),
    fitRequests: fitRequests.length,
    pairs: models.pairs,
    loss: models.loss,
    milliseconds: stage.context.clock() - started,
  };
}

/** Fits with separate inference threads and reports progress. */
async function fitWithOwnPool(
  { context: { progress, signal } }: Stage,
  input: Omit<LexicalFitOptions, "pool" | "signal" | "onProgress">,
): Promise<LexicalModels> {
  const pool = new InferencePool(fitPool);
  try {
    return await fitLexicalModels({
      ...input,
      pool,
      signal,
      onProgress: (step, done, total) => {
        if (done === 1) progress.start(step === "pairs" ? "evidence" : "fitting", total);
        progress.update(done);
      },
    });
  } finally {
    await pool.close();
  }
}
