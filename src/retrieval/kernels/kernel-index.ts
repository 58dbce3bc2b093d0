import type { Workflow } from "../../domain/catalog.js";
import type { LocalRidgeSettings, WordKernelsRetrieverModel } from "../../domain/model.js";
import type { RunScope } from "../../domain/run-scope.js";
import { SluiceError } from "../../errors/error.js";
import type { ModelHost } from "../../inference/model-host.js";
import { idRanksOf } from "../best-positions.js";
import type { WarmUpOptions } from "../warm-up-options.js";
import type { WordVectors } from "../words/word-vectors.js";
import { HeadBuilder, headScores, headScoresOfThree, type HeadWeights } from "./head-weights.js";
import { type KernelTexts, kernelTexts } from "./kernel-texts.js";
import { kernelValues, localRidge } from "./local-ridge.js";
import { NearTextPairs } from "./near-text-pairs.js";
import { pause } from "./pause.js";
import { textRanks } from "./rivals.js";
import { kernelNames, TextKernels, type TextSimilarities } from "./text-kernels.js";
import { AllTextPairs, type KernelChoice, type TextPairs } from "./text-pairs.js";

/** Texts up to which all of them are compared with each other. */
const comparableTexts = 3072;
/** Rivals of a head that is only evidence, or of a large index. */
const fewRivals = 48;

/** Heads fitted on a catalog. */
interface Heads {
  /** Of the weighted mixture. */
  readonly mixed: HeadWeights;
  /** Of the three similarities, in the order of `kernelNames`. */
  readonly single: HeadWeights;
}

/** Texts of a catalog under the three similarities, and heads fitted on them. */
export class KernelIndex {
  readonly texts: KernelTexts;
  readonly idRanks: Int32Array;
  private readonly kernels: TextKernels;
  private readonly heads: Heads;
  private readonly gamma: number;
  /** Kernel values of the text that is being scored, under each similarity. */
  private readonly kernelValues: readonly Float32Array[];

  private constructor(texts: KernelTexts, kernels: TextKernels, heads: Heads, gamma: number) {
    this.texts = texts;
    this.idRanks = idRanksOf(texts.workflowIds);
    this.kernels = kernels;
    this.heads = heads;
    this.gamma = gamma;
    this.kernelValues = kernelNames.map(() => new Float32Array(kernels.textCount));
  }

  /**
   * Builds the index in blocks, so that the thread stays responsive.
   * @throws {SluiceError} CATALOG_INVALID, INTERRUPTED, MODEL_RUN_FAILED, FIT_FAILED
   */
  static async create(
    { kernels: settings, head, prefix, nameApart }: WordKernelsRetrieverModel,
    vectors: WordVectors | null,
    workflows: readonly Workflow[],
    { pool, onProgress, signal }: WarmUpOptions & { readonly pool: ModelHost },
  ): Promise<KernelIndex> {
    if (workflows.length === 0) throw new SluiceError("CATALOG_INVALID", "the catalog has no active workflow to index");
    const texts = kernelTexts(workflows, prefix.document, nameApart);
    const total = texts.texts.length;
    const rest = (): Promise<void> => pause(signal);
    onProgress?.(0, total);
    const kernels = await TextKernels.create(texts.texts, { vectors, settings, pool, pause: rest });
    const pairs = await textPairs(kernels, texts, head.rivals, rest);
    const heads = await fitHeads(pairs, texts, head, async (workflow) => {
      onProgress?.(texts.starts[workflow + 1], total);
      await rest();
    });
    return new KernelIndex(texts, kernels, heads, head.gamma);
  }

  similarities(text: string, scope: RunScope): Promise<TextSimilarities> {
    return this.kernels.similarities(text, scope);
  }

  /** Score of each workflow, near 1 for its own texts and near 0 for others; shape (workflows). */
  scores({ mixed }: TextSimilarities): Float64Array {
    const [values = new Float32Array(mixed.length)] = this.kernelValues;
    kernelValues(mixed, this.gamma, values);
    return headScores(this.heads.mixed, values);
  }

  /** The same under each similarity alone, in the order of `kernelNames`. */
  singleScores(similarities: TextSimilarities): readonly Float64Array[] {
    const { lexical, soft, dense } = similarities;
    for (const [kernel, own] of [lexical, soft, dense].entries()) {
      kernelValues(own, this.gamma, this.kernelValues[kernel] ?? new Float32Array(own.length));
    }
    return headScoresOfThree(this.heads.single, this.kernelValues);
  }
}

async function textPairs(
  kernels: TextKernels,
  { starts, workflowIds }: KernelTexts,
  rivals: number,
  rest: () => Promise<void>,
): Promise<TextPairs> {
  const idRanks = idRanksOf(workflowIds);
  const layout = { starts, ranks: textRanks(idRanks, starts), rivals };
  if (kernels.textCount <= comparableTexts) return AllTextPairs.create(kernels, layout, rest);
  return new NearTextPairs(kernels, { ...layout, rivals: Math.min(rivals, fewRivals) }, idRanks);
}

async function fitHeads(
  pairs: TextPairs,
  texts: KernelTexts,
  settings: LocalRidgeSettings,
  afterWorkflow: (workflow: number) => Promise<void>,
): Promise<Heads> {
  const mixed = new HeadBuilder(1);
  const single = new HeadBuilder(kernelNames.length);
  for (const workflow of texts.workflowIds.keys()) {
    const { own, rivals, similarity } = pairs.neighbourhood(workflow);
    const weights = (kernel: KernelChoice, against: readonly number[]): Float64Array =>
      localRidge({ own, rivals: against }, (place, other) => similarity(kernel, place, other), settings);
    mixed.add([...own, ...rivals], [weights("mixed", rivals)]);
    const few = rivals.slice(0, fewRivals);
    const each = kernelNames.map((kernel) => weights(kernel, few));
    single.add([...own, ...few], each);
    await afterWorkflow(workflow);
  }
  return { mixed: mixed.head(), single: single.head() };
}
