import { bareWorkflow } from "../../../src/domain/bare-workflow.js";
import type { WorkflowId } from "../../../src/domain/primitives.js";
import type { Workflow } from "../../../src/domain/catalog.js";
import type { InferencePool } from "../../../src/inference/pool.js";
import { loadRetriever } from "../../../src/retrieval/load-retriever.js";
import type { ModelFiles } from "../../../src/retrieval/model-files.js";
import type { FitCheckpoint } from "../words/fit-state.js";
import type { FitData } from "../words/fit-data.js";
import { fitIdentity } from "../words/fit-identity.js";
import { type FitReport, fitWordVectors, type FittedVectors } from "../words/fit-word-vectors.js";
import { countRecall, type HeldOutTask, heldOutTask, type RecallCounts } from "../words/held-out-recall.js";
import { type HeldOut, workflowFolds } from "../words/hold-out.js";
import type { VectorSettings } from "../words/vector-settings.js";
import { wordVectors } from "../../../src/retrieval/words/load-word-vectors.js";
import { seededRandom } from "../../../src/stats/seeded-random.js";
import { fitKernelVerifier, type VerifierSource } from "./fit-kernel-verifier.js";
import { type FitTask, fitDataOf, type OpenData, taskClass, taskWorkflow } from "./fit-task.js";
import { wordRetrieverFiles, wordRetrieverModel } from "./word-retriever-files.js";

/** Folds of workflows: the verifier learns on each from vectors that were fitted on the other. */
const folds = 2;

export interface WordModelsOptions {
  readonly tasks: readonly FitTask[];
  readonly open: OpenData;
  readonly settings: VectorSettings;
  /** 32-bit integer; equal data, settings and seed give equal bytes on one kind of processor. */
  readonly seed: number;
  readonly checkpoint: FitCheckpoint;
  readonly pool: InferencePool;
  readonly onProgress: (progress: WordModelsProgress) => void;
  readonly signal: AbortSignal;
}

export type WordModelsProgress =
  | { readonly stage: "fold" | "vectors"; readonly fold: number; readonly steps: number; readonly loss: number }
  | { readonly stage: "recall"; readonly fold: number; readonly recall: RecallCounts }
  | { readonly stage: "catalogs" | "epochs"; readonly done: number; readonly total: number };

/** One fold run: how the retriever ranks workflows that its vectors were not fitted on. */
export interface FoldFigures {
  readonly loss: number;
  readonly recall: RecallCounts;
}

export interface WordModels {
  /** Files of the two model directories by relative path. */
  readonly retriever: ModelFiles;
  readonly verifier: ModelFiles;
  readonly folds: readonly FoldFigures[];
  /** Mean loss of the last steps of the shipped fit, nats per pair. */
  readonly loss: number;
  readonly words: number;
  readonly verifierPairs: number;
  readonly verifierLoss: number;
}

interface Fold {
  readonly held: HeldOut;
  readonly vectors: FittedVectors;
  readonly figures: FoldFigures;
}

/**
 * Fits word vectors on two halves of the workflows, measures each on the other half and fits the verifier on those;
 * then fits the vectors that are shipped on all workflows.
 * @throws {SluiceError} FIT_FAILED, INTERRUPTED; finished steps are stored
 */
export async function fitWordModels(options: WordModelsOptions): Promise<WordModels> {
  const data = fitDataOf(options.tasks, options.open);
  const fitted: Fold[] = [];
  for (const [fold, held] of workflowFolds(data, folds, seededRandom(options.seed)).entries()) {
    fitted.push(await fitFold(held, fold, options));
  }
  let loss = Number.NaN;
  const vectors = await fitVectors(data, options, (report) => {
    loss = report.loss;
    options.onProgress({ stage: "vectors", fold: folds, steps: report.steps, loss });
  });
  const verifier = await fitKernelVerifier({
    retriever: wordRetrieverModel(options.settings.dimensions),
    sources: fitted.flatMap((fold) => verifierSources(fold, options.tasks)),
    background: options.open.synsets.flatMap(({ examples }) => examples),
    seed: options.seed,
    pool: options.pool,
    signal: options.signal,
    onProgress: (stage, done, total) => options.onProgress({ stage, done, total }),
  });
  return {
    retriever: wordRetrieverFiles(vectors),
    verifier: verifier.files,
    folds: fitted.map(({ figures }) => figures),
    loss,
    words: vectors.vocabulary.lemmas.length,
    verifierPairs: verifier.pairs,
    verifierLoss: verifier.loss,
  };
}

async function fitFold(held: HeldOut, fold: number, options: WordModelsOptions): Promise<Fold> {
  let loss = Number.NaN;
  const vectors = await fitVectors(held.fit, options, (report) => {
    loss = report.loss;
    options.onProgress({ stage: "fold", fold, steps: report.steps, loss });
  });
  const task = heldOutTask(held, seededRandom(options.seed));
  const retriever = await loadRetriever(wordRetrieverFiles(vectors), task.classes.map(classWorkflow), options.pool);
  const recall = await countRecall(retriever, task.queries);
  options.onProgress({ stage: "recall", fold, recall });
  return { held, vectors, figures: { loss, recall } };
}

function fitVectors(
  data: FitData,
  { settings, seed, checkpoint, pool, signal }: WordModelsOptions,
  onProgress: (report: FitReport) => void,
): Promise<FittedVectors> {
  const identity = fitIdentity(data, settings, seed);
  return fitWordVectors(data, {
    settings,
    seed,
    checkpoint: { store: checkpoint, identity },
    pool,
    onProgress,
    signal,
  });
}

/** A held-out class as a workflow with the texts that stand for it. */
function classWorkflow({ names, examples }: HeldOutTask["classes"][number], position: number): Workflow {
  const [name = ""] = names;
  return {
    ...bareWorkflow,
    workflowId: `class_${position}` as WorkflowId,
    name,
    description: names.join(", "),
    examples,
  };
}

/** The held-out workflows of each task, with the vectors of the fold that did not see them. */
function verifierSources({ held, vectors }: Fold, tasks: readonly FitTask[]): readonly VerifierSource[] {
  const ids = new Set(held.workflows.map(({ id }) => id));
  const rows = wordVectors(vectors.vocabulary, vectors.values, vectors.dimensions);
  return tasks.flatMap((task) => {
    const workflows = task.workflows.filter(({ workflowId }) => ids.has(taskWorkflow(task.name, workflowId)));
    if (workflows.length === 0) return [];
    const own = new Set(workflows.map(({ workflowId }) => workflowId));
    return [
      {
        name: task.name,
        workflows,
        requests: task.requests.filter(({ workflowId }) => workflowId === null || own.has(workflowId)),
        groups: new Map(workflows.map((workflow) => [workflow.workflowId, taskClass(task.name, workflow)])),
        vectors: rows,
      },
    ];
  });
}
