import { setImmediate } from "node:timers/promises";
import type { Workflow } from "../../documents/catalog.js";
import type { LocalRidgeSettings, RetrieverModel } from "../../documents/model.js";
import type { RunScope } from "../../documents/run-scope.js";
import type { EncodedText } from "../../documents/text-scores.js";
import { SluiceError } from "../../base/error.js";
import { endOf } from "../../inference/shared-memory.js";
import type { RowsToShare } from "../../inference/shared-rows.js";
import { idRanksOf } from "./best-positions.js";
import { type CatalogTexts, catalogTexts } from "./catalog-texts.js";
import { AllTextPairs, NearTextPairs, type SimilarityChoice, type TextPairs, textRanks } from "./hard-negatives.js";
import { FastKernel, HeadBuilder, type Heads, localRidge } from "./head.js";
import type { Ranking, Retriever } from "./retriever.js";
import {
  comparableTexts,
  lexicalShare,
  type CorrectedText,
  type ReadText,
  type SimilaritiesToShare,
  SimilarityIndex,
  similarityNames,
  type TextSimilarities,
} from "./similarity-index.js";
import type { TermIndex } from "./term-index.js";
import type { EncodedTexts } from "./text-encoder.js";
import type { WarmUpOptions } from "./warm-up-options.js";

/** Number of hard negatives for a head that only provides features, or for a large index. */
const fewNegatives = 48;

/** An index that one thread has built for other threads; all lists lie in memory that threads share. */
export interface IndexToShare {
  /** Vectors of the texts; null without an encoder. */
  readonly vectors: RowsToShare | null;
  readonly similarities: SimilaritiesToShare;
  readonly heads: Heads;
}

/** Similarity of a text to the texts of each workflow; each list has shape (workflows). */
export interface Closeness {
  readonly best: Float64Array;
  /** Mean of the three highest similarities; missing ones count as 0. */
  readonly three: Float64Array;
  readonly mean: Float64Array;
}

const choices = [...similarityNames, "mixed"] as const;
const measuresOfCloseness = 3;

/**
 * Texts of a catalog with both similarities, and heads fitted on them. Results for a text lie in the memory of the
 * index, and are valid until the same is computed for another text.
 */
export class CatalogIndex {
  readonly texts: Omit<CatalogTexts, "texts">;
  readonly idRanks: Int32Array;
  /** Positions of all workflows. */
  readonly positions: Int32Array;
  readonly heads: Heads;
  private readonly similarity: SimilarityIndex;
  private readonly kernel: FastKernel;
  /** Kernel values of the text being scored. */
  private readonly values: Float32Array;
  private readonly scoresOf: Readonly<Record<SimilarityChoice, Float64Array>>;
  /** Shape (similarities, measures, workflows). */
  private readonly nearness: Float64Array;
  private readonly listed: Int32Array;
  private current: TextSimilarities | null = null;

  constructor(texts: CatalogTexts, similarity: SimilarityIndex, heads: Heads, gamma: number) {
    const { memory, textCount } = similarity;
    const { workflowIds, titles, examplesPerWorkflow } = texts;
    const count = workflowIds.length;
    const starts = memory.int32(texts.starts.length);
    starts.set(texts.starts);
    this.texts = { workflowIds, starts, titles, examplesPerWorkflow };
    this.idRanks = idRanksOf(workflowIds);
    this.positions = memory.int32(count);
    for (let position = 0; position < count; position += 1) this.positions[position] = position;
    this.similarity = similarity;
    this.heads = heads;
    this.kernel = new FastKernel(gamma, memory);
    this.values = memory.float32(textCount);
    const room = (): Float64Array => memory.float64(count);
    this.scoresOf = { mixed: room(), encoder: room(), lexical: room() };
    this.nearness = memory.float64(choices.length * measuresOfCloseness * count);
    this.listed = memory.int32(count);
  }

  /** Words of the texts, sorted, and the texts that contain each. */
  get words(): TermIndex {
    return this.similarity.lexical.words;
  }

  toShare(): IndexToShare {
    const vectors = this.similarity.encoded?.vectors.toShare ?? null;
    return { vectors, similarities: this.similarity.toShare(), heads: this.heads };
  }

  correct(text: string): CorrectedText {
    return this.similarity.correct(text);
  }

  encode(text: CorrectedText, scope: RunScope, known: EncodedText | null): Promise<ReadText> {
    return this.similarity.encode(text, scope, known);
  }

  compare(text: ReadText): TextSimilarities {
    this.current = this.similarity.compare(text);
    return this.current;
  }

  /** Vector of a workflow's name and description; null without an encoder. */
  titleVector(workflow: number): Float32Array | null {
    const { encoded } = this.similarity;
    return encoded === null ? null : encoded.vectors.row(this.texts.titles[workflow] ?? 0);
  }

  /** Some workflows in the form that `scores` and `closeness` accept, without duplicates. */
  among(workflows: ReadonlySet<number>): Int32Array {
    let count = 0;
    for (const workflow of workflows) {
      this.listed[count] = workflow;
      count += 1;
    }
    return this.listed.subarray(0, count);
  }

  /**
   * Scores of shape (workflows), near 1 for a workflow's own texts and near 0 for others.
   * @param workflows  workflows to score: `positions`, or a result of `among`; others get -Infinity
   */
  scores(choice: SimilarityChoice, similarities: TextSimilarities, workflows: Int32Array): Float64Array {
    this.requireCurrent(similarities);
    const { kernel, values, positions } = this;
    const head = this.heads[choice];
    const into = this.scoresOf[choice];
    if (workflows === positions) kernel.write(similarities[choice], values);
    else {
      into.fill(Number.NEGATIVE_INFINITY);
      kernel.writeRead(similarities[choice], head, workflows, values);
    }
    this.similarity.memory.kernels.headScores(
      workflows.byteOffset,
      endOf(workflows),
      head.starts.byteOffset,
      head.texts.byteOffset,
      head.weights.byteOffset,
      values.byteOffset,
      into.byteOffset,
    );
    return into;
  }

  /** Closeness under each similarity. @param workflows  as for `scores` */
  closeness(similarities: TextSimilarities, workflows: Int32Array): Readonly<Record<SimilarityChoice, Closeness>> {
    this.requireCurrent(similarities);
    const { nearness, positions } = this;
    const { memory, rows, textCount } = this.similarity;
    if (workflows !== positions) nearness.fill(Number.NEGATIVE_INFINITY);
    memory.kernels.closeness(
      workflows.byteOffset,
      endOf(workflows),
      this.texts.starts.byteOffset,
      rows.byteOffset,
      Float32Array.BYTES_PER_ELEMENT * textCount,
      nearness.byteOffset,
      Float64Array.BYTES_PER_ELEMENT * positions.length,
    );
    return { encoder: this.closenessAt(0), lexical: this.closenessAt(1), mixed: this.closenessAt(2) };
  }

  private closenessAt(place: number): Closeness {
    const { length } = this.positions;
    const measure = (at: number): Float64Array => {
      const from = (measuresOfCloseness * place + at) * length;
      return this.nearness.subarray(from, from + length);
    };
    return { best: measure(0), three: measure(1), mean: measure(2) };
  }

  private requireCurrent(similarities: TextSimilarities): void {
    if (similarities !== this.current) throw new Error("the index has compared another text since");
  }
}

/** A ranking with its similarities, for a verifier; they are valid until the index compares another text. */
export interface IndexedRanking extends Ranking {
  readonly index: CatalogIndex;
  readonly similarities: TextSimilarities;
}

export interface HybridSource {
  readonly model: RetrieverModel;
  /** Encoder and vectors of `catalogTexts(workflows)`; null for a retriever without an encoder. */
  readonly encoded: EncodedTexts | null;
  /** Index that another thread has built for the same workflows; by default it is built here. */
  readonly built?: IndexToShare | null;
}

/**
 * Combines the similarities of a sentence encoder and of tf-idf with the texts of a catalog, and a closed-form head
 * fitted on it.
 */
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
    { model, encoded, built = null }: HybridSource,
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
      built: built?.similarities ?? null,
      pause,
    });
    const fitted = async (): Promise<Heads> =>
      fitHeads(await textPairs(index, texts, model.head, pause), { texts, index }, model.head, async (workflow) => {
        onProgress?.(texts.starts[workflow + 1], total);
        await pause();
      });
    const heads = built?.heads ?? encoded?.heads ?? (await fitted());
    return new HybridRetriever(model, new CatalogIndex(texts, index, heads, model.head.gamma));
  }

  async rank(text: string, scope: RunScope): Promise<IndexedRanking> {
    return this.rankRead(await this.encode(this.correct(text), scope));
  }

  correct(text: string): CorrectedText {
    return this.index.correct(text);
  }

  /**
   * @param known  what the encoder made of the corrected text; computed by default
   * @throws {SluiceError} those of `rank`
   */
  encode(text: CorrectedText, scope: RunScope, known: EncodedText | null = null): Promise<ReadText> {
    return this.index.encode(text, scope, known);
  }

  rankRead(text: ReadText): IndexedRanking {
    const { index } = this;
    const similarities = index.compare(text);
    return {
      workflowIds: index.texts.workflowIds,
      idRanks: index.idRanks,
      scores: index.scores("mixed", similarities, index.positions).slice(),
      truncated: similarities.truncated,
      index,
      similarities,
    };
  }
}

/** Lets the thread do other work between two blocks of a long build. */
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
  { texts, index }: { readonly texts: CatalogTexts; readonly index: SimilarityIndex },
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
  const { memory } = index;
  return {
    mixed: builders.mixed.head(memory),
    encoder: builders.encoder.head(memory),
    lexical: builders.lexical.head(memory),
  };
}
