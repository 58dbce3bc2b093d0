import type { Workflow } from "../../domain/catalog.js";
import type { WordKernelsRetrieverModel } from "../../domain/model.js";
import type { RunScope } from "../../domain/run-scope.js";
import type { ModelHost } from "../../inference/model-host.js";
import type { Ranking, Retriever } from "../retriever.js";
import type { WarmUpOptions } from "../warm-up-options.js";
import type { WordVectors } from "../words/word-vectors.js";
import { KernelIndex } from "./kernel-index.js";

/** A model description and its word vectors, null for a model without them. */
export interface WordKernelsSource {
  readonly model: WordKernelsRetrieverModel;
  readonly vectors: WordVectors | null;
}

/** Lexical, soft and dense similarity with the texts of a catalog, and a closed-form head fitted on them. */
export class WordKernelsRetriever implements Retriever {
  readonly version: string;
  readonly capability: WordKernelsRetrieverModel["capability"];
  readonly index: KernelIndex;
  private readonly queryPrefix: string;

  private constructor(model: WordKernelsRetrieverModel, index: KernelIndex) {
    this.version = model.version;
    this.capability = model.capability;
    this.index = index;
    this.queryPrefix = model.prefix.query;
  }

  /** Indexes the workflows and fits the head. @throws {SluiceError} CATALOG_INVALID, INTERRUPTED, MODEL_RUN_FAILED */
  static async create(
    { model, vectors }: WordKernelsSource,
    workflows: readonly Workflow[],
    pool: ModelHost,
    options: WarmUpOptions = {},
  ): Promise<WordKernelsRetriever> {
    return new WordKernelsRetriever(model, await KernelIndex.create(model, vectors, workflows, { ...options, pool }));
  }

  async rank(text: string, scope: RunScope): Promise<Ranking> {
    const { index } = this;
    const similarities = await index.similarities(this.queryPrefix + text, scope);
    const scores = index.scores(similarities);
    const { workflowIds } = index.texts;
    const ranked = { idRanks: index.idRanks, scores };
    return { workflowIds, ...ranked, truncated: false, kernels: { index, ranked, similarities } };
  }
}
