import { setImmediate } from "node:timers/promises";
import type { Workflow } from "../domain/catalog.js";
import type { LocalRidgeSettings, RetrieverModel } from "../domain/model.js";
import type { RunScope } from "../domain/run-scope.js";
import { SluiceError } from "../errors/error.js";
import { idRanksOf } from "./best-positions.js";
import { type CatalogTexts, catalogTexts } from "./catalog-texts.js";
import { AllTextPairs, NearTextPairs, type SimilarityChoice, type TextPairs, textRanks } from "./hard-negatives.js";
import { HeadBuilder, type Heads, KernelTable, localRidge, writeHeadScores } from "./head.js";
import type { Ranking, Retriever } from "./retriever.js";
import {
  comparableTexts,
  lexicalShare,
  SimilarityIndex,
  similarityNames,
  type TextSimilarities,
} from "./similarity-index.js";
import type { EncodedTexts } from "./text-encoder.js";
import type { WarmUpOptions } from "./warm-up-options.js";

/** Hard negatives of a head that is only evidence, or of a large index. */
const fewNegatives = 48;

/** Texts of a catalog under both similarities, and heads fitted on them. */
export class CatalogIndex {
  readonly texts: CatalogTexts;
  readonly idRanks: Int32Array;
  /** All workflows. */
  readonly positions: Int32Array;
  readonly heads: Heads;
  private readonly similarity: SimilarityIndex;
  private readonly kernel: KernelTable;
  /** Kernel values of the text that is being scored. */
  private readonly values: Float32Array;

  constructor(texts: CatalogTexts, similarity: SimilarityIndex, heads: Heads, gamma: number) {
    this.texts = texts;
    this.idRanks = idRanksOf(texts.workflowIds);
    this.positions = Int32Array.from(texts.workflowIds.keys());
    this.similarity = similarity;
    this.heads = heads;
    this.kernel = new KernelTable(gamma);
    this.values = new Float32Array(similarity.textCount);
  }

  similarities(text: string, scope: RunScope): Promise<TextSimilarities> {
    return this.similarity.similarities(text, scope);
  }

  /** Takes the arrays of a ranked text back for the next one: its similarities are no longer read. */
  reuse(similarities: TextSimilarities): void {
    this.similarity.reuse(similarities);
  }

  /** Vector of a workflow's name and description; null without an encoder. */
  titleVector(workflow: number): Float32Array | null {
    const { encoded } = this.similarity;
    return encoded === null ? null : encoded.vectors.row(this.texts.titles[workflow] ?? 0);
  }

  /**
   * Writes scores, near 1 for a workflow's own texts and near 0 for others.
   * @param workflows  positions whose score is wanted
   * @param into  shape (workflows)
   */
  writeScores(
    choice: SimilarityChoice,
    similarities: TextSimilarities,
    workflows: Int32Array,
    into: Float64Array,
  ): void {
    const { kernel, values } = this;
    const head = this.heads[choice];
    if (workflows === this.positions) kernel.write(similarities[choice], values);
    else kernel.writeRead(similarities[choice], head, workflows, values);
    writeHeadScores(head, values, workflows, into);
  }
}

/** How a ranking came about, for a verifier. */
export interface IndexedRanking extends Ranking {
  readonly index: CatalogIndex;
  readonly similarities: TextSimilarities;
}

export interface HybridSource {
  readonly model: RetrieverModel;
  /** Encoder and vectors of `catalogTexts(workflows)`; null for a retriever without an encoder. */
  readonly encoded: EncodedTexts | null;
}

/** Similarity of a sentence encoder and of tf-idf with the texts of a catalog, and a closed-form head fitted on it. */
export class HybridRetriever implements Retriever {
  readonly version: string;
  readonly capability: RetrieverModel["capability"];
  readonly index: CatalogIndex;

  private constructor({ version, capability }: RetrieverModel, index: CatalogIndex) {
    this.version = version;
    this.capability = capability;
    this.index = index;
  }

  /**
   * Indexes the workflows and fits the heads, in blocks, so that the thread stays responsive.
   * @throws {SluiceError} CATALOG_INVALID, INTERRUPTED, MODEL_RUN_FAILED, FIT_FAILED
   */
  static async create(
    { model, encoded }: HybridSource,
    workflows: readonly Workflow[],
    { onProgress, signal }: WarmUpOptions = {},
  ): Promise<HybridRetriever> {
    if (workflows.length === 0) throw new SluiceError("CATALOG_INVALID", "the catalog has no active workflow to index");
    const texts = catalogTexts(workflows);
    const total = texts.texts.length;
    const pause = (): Promise<void> => pauseUnless(signal);
    onProgress?.(0, total);
    const index = await SimilarityIndex.create(texts.texts, {
      encoded,
      starts: texts.starts,
      settings: model.similarity,
      lexical: lexicalShare(model.similarity, texts.examplesPerWorkflow),
      prefix: model.prefix.query,
      pause,
    });
    const fitted = async (): Promise<Heads> =>
      fitHeads(await textPairs(index, texts, model.head, pause), texts, model.head, async (workflow) => {
        onProgress?.(texts.starts[workflow + 1], total);
        await pause();
      });
    const heads = encoded?.heads ?? (await fitted());
    return new HybridRetriever(model, new CatalogIndex(texts, index, heads, model.head.gamma));
  }

  async rank(text: string, scope: RunScope): Promise<IndexedRanking> {
    const { index } = this;
    const similarities = await index.similarities(text, scope);
    const scores = new Float64Array(index.texts.workflowIds.length);
    index.writeScores("mixed", similarities, index.positions, scores);
    return {
      workflowIds: index.texts.workflowIds,
      idRanks: index.idRanks,
      scores,
      truncated: similarities.truncated,
      index,
      similarities,
    };
  }
}

/** Lets other work of the thread run between two blocks of a long build. @throws {SluiceError} INTERRUPTED */
async function pauseUnless(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  if (signal?.aborted !== true) return;
  throw new SluiceError("INTERRUPTED", "the index was not finished", { hint: "Run the same command again." });
}

async function textPairs(
  index: SimilarityIndex,
  { starts, workflowIds }: CatalogTexts,
  { negatives, gamma }: LocalRidgeSettings,
  pause: () => Promise<void>,
): Promise<TextPairs> {
  const idRanks = idRanksOf(workflowIds);
  const layout = { starts, ranks: textRanks(idRanks, starts), negatives, gamma };
  if (index.textCount <= comparableTexts) return AllTextPairs.create(index, layout, pause);
  return new NearTextPairs(index, { ...layout, negatives: Math.min(negatives, fewNegatives) }, idRanks);
}

async function fitHeads(
  pairs: TextPairs,
  texts: CatalogTexts,
  settings: LocalRidgeSettings,
  afterWorkflow: (workflow: number) => Promise<void>,
): Promise<Heads> {
  const builders: Readonly<Record<SimilarityChoice, HeadBuilder>> = {
    mixed: new HeadBuilder(),
    encoder: new HeadBuilder(),
    lexical: new HeadBuilder(),
  };
  const add = (choice: SimilarityChoice, own: readonly number[], negatives: readonly number[], fit: Float64Array) =>
    builders[choice].add([...own, ...negatives], fit);
  for (const workflow of texts.workflowIds.keys()) {
    const { own, negatives, kernel } = pairs.neighbourhood(workflow);
    const fit = (choice: SimilarityChoice, against: readonly number[]): Float64Array =>
      localRidge({ own, negatives: against }, kernel(choice), settings);
    add("mixed", own, negatives, fit("mixed", negatives));
    const few = negatives.slice(0, fewNegatives);
    for (const name of similarityNames) add(name, own, few, fit(name, few));
    await afterWorkflow(workflow);
  }
  return { mixed: builders.mixed.head(), encoder: builders.encoder.head(), lexical: builders.lexical.head() };
}
