import { formatProportion } from "../../../src/domain/number-text.js";
import { rm } from "node:fs/promises";
import { InferencePool } from "../../../src/inference/pool.js";
import type { ModelFiles } from "../../../src/retrieval/model-files.js";
import { fitStateFolder } from "../../fit/words/fit-state-file.js";
import type { RecallCounts } from "../../fit/words/held-out-recall.js";
import { defaultVectorSettings } from "../../fit/words/vector-settings.js";
import { fitWordModels, type WordModels, type WordModelsProgress } from "../../fit/verification/fit-word-models.js";
import type { History } from "../../history/open.js";
import { keepModel } from "../../records/keep-model.js";
import { readCatalog, readDataset, readSplit } from "../../records/read-records.js";
import type { Stage } from "../../records/stage.js";
import { writeModelFolders } from "../write-model-folders.js";
import type { FitSource } from "./fit-sources.js";
import { foldRecall } from "./fold-recall.js";
import { cardFiles, type ModelCard, modelCard } from "./model-card.js";
import type { ReadOpenData } from "./open-data.js";

export interface WordFitOptions {
  readonly sources: readonly FitSource[];
  readonly openData: ReadOpenData;
  /** Split whose FIT fold is among the sources; its TUNE fold is measured. Undefined for none. */
  readonly splitId: string | undefined;
  /** Steps of the contrastive fit. */
  readonly steps: number;
  readonly seed: number;
  /** Folder that gets both models and the card. While the fit runs, its state is in the same path with `.fitting`. */
  readonly directory: string;
  /** One line for a person. */
  readonly note: (line: string) => void;
}

export interface FittedWordModels {
  readonly retriever: string;
  readonly verifier: string;
  readonly card: ModelCard;
  readonly milliseconds: number;
}

const fitPool = { workers: 1, queueLimit: 64 };

/** Fits retriever and verifier, measures them, writes the folder atomically, and saves both models in the history. */
export async function fitWordModelsStage(stage: Stage, options: WordFitOptions): Promise<FittedWordModels> {
  const { clock, progress, signal } = stage.context;
  const started = clock();
  const state = `${options.directory}.fitting`;
  const settings = {
    ...defaultVectorSettings,
    contrastive: { ...defaultVectorSettings.contrastive, steps: options.steps },
  };
  const tasks = options.sources.map(({ task }) => options.openData.cleaned(task));
  const pool = new InferencePool(fitPool);
  try {
    const models = await fitWordModels({
      tasks,
      open: options.openData.open,
      settings,
      seed: options.seed,
      checkpoint: fitStateFolder(state),
      pool,
      signal,
      onProgress: reporter(stage, options.note, settings.contrastive.steps),
    });
    progress.done();
    const tune =
      options.splitId === undefined ? null : await tuneRecall(stage.history, options.splitId, models.retriever, pool);
    const { cards, without } = options.openData;
    const used = options.sources.map(({ card }, place) => {
      return { ...card, requests: tasks[place]?.requests.length ?? card.requests };
    });
    const sources = [...used, ...cards];
    const card = modelCard({ sources, without, settings, seed: options.seed, models, tune });
    await writeModelFolders(options.directory, models, cardFiles(card));
    await rm(state, { recursive: true, force: true });
    return { ...keepBoth(stage, models), card, milliseconds: clock() - started };
  } finally {
    await pool.close();
  }
}

const keepBoth = (stage: Stage, { retriever, verifier }: WordModels) => {
  return { retriever: keepModel(stage, "retriever", retriever), verifier: keepModel(stage, "verifier", verifier) };
};

/** Shows steps as progress, and loss and recall as lines. */
function reporter({ context: { progress } }: Stage, note: (line: string) => void, steps: number) {
  let label = "";
  const show = (next: string, done: number, total: number): void => {
    if (next !== label) progress.start(next, total);
    label = next;
    progress.update(done);
  };
  return (at: WordModelsProgress): void => {
    switch (at.stage) {
      case "fold":
      case "vectors":
        show(at.stage === "fold" ? `fold ${at.fold + 1}` : "vectors", at.steps, steps);
        if (at.steps % 500 === 0) note(`${label}, step ${at.steps}: loss ${formatProportion(at.loss)}`);
        return;
      case "recall": {
        const { requests, workflows, at1, at5 } = at.recall;
        const counted = `recall at 1 ${at1}/${requests}, at 5 ${at5}/${requests}`;
        note(`fold ${at.fold + 1}, ${workflows} held-out workflows: ${counted}`);
        return;
      }
      case "catalogs":
      case "epochs":
        show(at.stage === "catalogs" ? "evidence" : "verifier", at.done, at.total);
    }
  };
}

/** Recall over the whole catalog of a split, on requests of the TUNE fold's workflows. */
function tuneRecall(
  history: History,
  splitId: string,
  retriever: ModelFiles,
  pool: InferencePool,
): Promise<RecallCounts> {
  const split = readSplit(history, splitId).document;
  const { workflows } = readCatalog(history, split.catalog_sha256).document;
  return foldRecall(retriever, { split, workflows, rows: readDataset(history, split.dataset_sha256).document }, pool);
}
