import type { KernelSettings } from "../../domain/model.js";
import { type RunScope, unbounded } from "../../domain/run-scope.js";
import type { ModelHost } from "../../inference/model-host.js";
import { lemmasOf } from "../words/lemmas.js";
import { charNgramsOf, ngramsOf, wordNgramsOf } from "../words/ngrams.js";
import { Spelling } from "../words/spelling.js";
import type { WordVectors } from "../words/word-vectors.js";
import { DenseIndex } from "./dense-index.js";
import { SoftIndex } from "./soft-index.js";
import { rowAt } from "./sparse-rows.js";
import { TermCounts, TermIndex } from "./term-index.js";

/** The three similarities of two texts, in the order of the evidence. */
export const kernelNames = ["lexical", "soft", "dense"] as const;
export type KernelName = (typeof kernelNames)[number];

/** Similarities of one text with every text of the index, shape (texts) each. */
export interface TextSimilarities extends Readonly<Record<KernelName, Float32Array>> {
  /** Weighted by the settings. */
  readonly mixed: Float32Array;
  /** Words of the text, with repetition. */
  readonly words: number;
  /** Share of the words that no text of the index holds, in [0, 1]; 1 for a text without words. */
  readonly unknownShare: number;
}

export interface KernelSource {
  readonly vectors: WordVectors | null;
  readonly settings: KernelSettings;
  readonly pool: ModelHost;
  /** Called between blocks of the build, with the texts done. */
  readonly pause: () => Promise<void>;
}

interface Parts {
  readonly words: TermIndex;
  readonly chars: TermIndex;
  readonly soft: SoftIndex;
  readonly dense: DenseIndex | null;
  /** null when words are used verbatim. */
  readonly spelling: Spelling | null;
}

/** Texts that are cut into n-grams between two pauses. */
const textsPerBlock = 256;

/** Lexical, soft and dense similarity over fixed texts. */
export class TextKernels {
  readonly textCount: number;
  /** Shares of the three similarities, sum 1; the dense one has none without vectors. */
  readonly shares: Readonly<Record<KernelName, number>>;
  readonly parts: Parts;
  /** Share of words in the lexical similarity. */
  readonly wordWeight: number;
  private readonly settings: KernelSettings;

  private constructor(textCount: number, settings: KernelSettings, parts: Parts) {
    this.textCount = textCount;
    this.settings = settings;
    this.parts = parts;
    this.wordWeight = settings.wordWeight;
    const dense = parts.dense === null ? 0 : settings.dense;
    const total = settings.lexical + settings.soft + dense;
    this.shares = { lexical: settings.lexical / total, soft: settings.soft / total, dense: dense / total };
  }

  static async create(texts: readonly string[], source: KernelSource): Promise<TextKernels> {
    const { vectors, settings, pool, pause } = source;
    const [words, chars, counted] = [new TermCounts(), new TermCounts(), new TermCounts()];
    const lemmas: (readonly string[])[] = [];
    for (const [index, text] of texts.entries()) {
      const own = lemmasOf(text);
      words.add(wordNgramsOf(own));
      chars.addGroups(own, (word) => charNgramsOf(word, settings.charMin, settings.charMax));
      counted.add(own);
      lemmas.push(own);
      if (index % textsPerBlock === textsPerBlock - 1) await pause();
    }
    const soft = await SoftIndex.create(counted, { vectors, settings, pool, pause });
    return new TextKernels(texts.length, settings, {
      words: new TermIndex(words),
      chars: new TermIndex(chars),
      soft,
      spelling: spellingOf(settings, soft, vectors),
      dense: vectors === null ? null : await DenseIndex.create(lemmas, vectors, pool),
    });
  }

  async similarities(text: string, scope: RunScope): Promise<TextSimilarities> {
    const { words, chars, soft, dense, spelling } = this.parts;
    const written = lemmasOf(text);
    const ngrams = ngramsOf(written, this.settings.charMin, this.settings.charMax);
    const lemmas = spelling === null ? written : spelling.corrected(written);
    const cosines = dense === null ? new Float32Array(this.textCount) : dense.cosines(lemmas, scope);
    const [softRow, denseCosines] = await Promise.all([soft.rowOf(lemmas, scope), cosines]);
    const lexical = new Float32Array(this.textCount);
    words.addCosines(words.rowOf(ngrams.words), this.settings.wordWeight, lexical);
    chars.addCosines(chars.rowOf(ngrams.chars), 1 - this.settings.wordWeight, lexical);
    const softCosines = new Float32Array(this.textCount);
    soft.addCosines(softRow, 1, softCosines);
    const unknown = lemmas.reduce((count, lemma) => (soft.knows(lemma) ? count : count + 1), 0);
    return {
      lexical,
      soft: softCosines,
      dense: denseCosines,
      mixed: this.mix(lexical, softCosines, denseCosines),
      words: lemmas.length,
      unknownShare: lemmas.length === 0 ? 1 : unknown / lemmas.length,
    };
  }

  /** Similarities of texts of the index with every text, shape (rows, texts) each. */
  async textSimilarities(rows: readonly number[]): Promise<Readonly<Record<KernelName, Float32Array>>> {
    const { words, chars, soft, dense } = this.parts;
    const { settings, textCount } = this;
    const lexicalRows = new Float32Array(rows.length * textCount);
    const softRows = new Float32Array(rows.length * textCount);
    for (const [index, row] of rows.entries()) {
      const place = [index * textCount, (index + 1) * textCount] as const;
      const lexical = lexicalRows.subarray(...place);
      words.addCosines(rowAt(words.rows, row), settings.wordWeight, lexical);
      chars.addCosines(rowAt(chars.rows, row), 1 - settings.wordWeight, lexical);
      soft.addCosines(rowAt(soft.rows, row), 1, softRows.subarray(...place));
    }
    const none = new Float32Array(dense === null ? lexicalRows.length : 0);
    return {
      lexical: lexicalRows,
      soft: softRows,
      dense: dense === null ? none : await dense.textCosines(rows, unbounded),
    };
  }

  private mix(lexical: Float32Array, soft: Float32Array, dense: Float32Array): Float32Array {
    const { shares } = this;
    const mixed = new Float32Array(this.textCount);
    for (let i = 0; i < mixed.length; i += 1) {
      mixed[i] = shares.lexical * lexical[i] + shares.soft * soft[i] + shares.dense * dense[i];
    }
    return mixed;
  }
}

/** Words of the catalog are known best, then those with vectors, the more frequent ones before the others. */
function spellingOf({ correctedFrom }: KernelSettings, soft: SoftIndex, vectors: WordVectors | null): Spelling | null {
  if (correctedFrom === undefined) return null;
  const frequency = (word: string): number => {
    const row = vectors?.rowOf(word) ?? -1;
    return row < 0 ? -1 : (vectors?.frequency[row] ?? 0);
  };
  const words = [...soft.words(), ...(vectors?.lemmas ?? [])];
  return new Spelling({ words, rankOf: (word) => (soft.knows(word) ? 2 : 0) + frequency(word) }, correctedFrom);
}
