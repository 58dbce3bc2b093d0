import type { SimilaritySettings } from "../../documents/model.js";
import type { RunScope } from "../../documents/run-scope.js";
import type { EncodedText } from "../../documents/text-scores.js";
import { endOf, SharedMemory, type WasmMemory } from "../../inference/shared-memory.js";
import { SharedRows } from "../../inference/shared-rows.js";
import { LexicalIndex, type LexicalRows, type LexicalToShare } from "./lexical-index.js";
import { meansOf, NearCosines } from "./near-cosines.js";
import { rowAt } from "./sparse-rows.js";
import { Spelling } from "./spelling.js";
import type { EncodedTexts } from "./text-encoder.js";
import { wordsOf } from "./words.js";

/**
 * Maximum number of texts that are all compared with each other and with every request. For more texts, heads are
 * stored with the vectors.
 */
export const comparableTexts = 3072;

export const similarityNames = ["encoder", "lexical"] as const;
export type SimilarityName = (typeof similarityNames)[number];

/** A text after splitting it into words and correcting them. */
export interface CorrectedText {
  /** The text that the encoder reads, without the prefix. */
  readonly text: string;
  readonly written: readonly string[];
  /** The same words, corrected. */
  readonly words: readonly string[];
  /** Position of each corrected word in the word index; -1 for a word that no indexed text contains. */
  readonly places: readonly number[];
}

export interface ReadText extends CorrectedText {
  /** null without an encoder. */
  readonly vector: Float32Array | null;
  /** Whether the encoder read only the beginning of the text. */
  readonly truncated: boolean;
}

/**
 * Similarities of one text with every indexed text, shape (texts) each. They lie in the memory of the index, and are
 * valid until it compares the next text.
 */
export interface TextSimilarities extends Readonly<Record<SimilarityName, Float32Array>> {
  /** Mixture of both, weighted according to the settings. */
  readonly mixed: Float32Array;
  /** Vector of the text; null without an encoder. */
  readonly vector: Float32Array | null;
  /** Whether the encoder read only the beginning of the text. */
  readonly truncated: boolean;
  readonly written: readonly string[];
  readonly words: number;
  /** Share of words that no indexed text contains, in [0, 1]; 1 for a text without words. */
  readonly unknownShare: number;
}

export interface SimilaritySource {
  readonly encoded: EncodedTexts | null;
  /** The texts of workflow w are at starts[w] up to (not including) starts[w + 1]. */
  readonly starts: Int32Array;
  readonly settings: SimilaritySettings;
  /** Weight of tf-idf, in [0, 1]; see `lexicalShare`. */
  readonly lexical: number;
  readonly prefix: string;
  /** Index that another thread has built; null to build it. */
  readonly built: SimilaritiesToShare | null;
  /** Called between blocks of the build. */
  readonly pause: () => Promise<void>;
}

/**
 * Everything that threads share besides the vectors. All lists are in `memory`, together with the vectors if there are
 * any.
 */
export interface SimilaritiesToShare {
  readonly memory: WasmMemory;
  readonly lexical: LexicalToShare;
  /** Mean vector of each workflow in a large catalog; null if every text is compared. */
  readonly means: Float32Array | null;
}

/**
 * Weight of tf-idf for a catalog. tf-idf helps with examples, and misleads if there are only names and descriptions.
 */
export function lexicalShare(settings: SimilaritySettings, examplesPerWorkflow: number): number {
  if (settings.examples === 0) return settings.lexical;
  return settings.lexical * Math.min(1, examplesPerWorkflow / settings.examples);
}

/** Cosine similarity of sentence vectors, and tf-idf, over fixed texts. */
export class SimilarityIndex {
  readonly textCount: number;
  readonly shares: Readonly<Record<SimilarityName, number>>;
  readonly lexical: LexicalIndex;
  readonly encoded: EncodedTexts | null;
  readonly wordWeight: number;
  readonly memory: SharedMemory;
  /** Shape (3, texts): by encoder, by tf-idf, and mixed. */
  readonly rows: Float32Array;
  /** null if every text is compared. */
  private readonly near: NearCosines | null;
  private readonly prefix: string;
  private readonly spelling: Spelling | null;

  private constructor(textCount: number, source: SimilaritySource, lexical: LexicalIndex, memory: SharedMemory) {
    this.textCount = textCount;
    this.lexical = lexical;
    this.encoded = source.encoded;
    this.wordWeight = source.settings.word_weight;
    this.memory = memory;
    this.rows = memory.float32(3 * textCount);
    this.near = nearCosines(textCount, source);
    this.prefix = source.prefix;
    const share = source.encoded === null ? 1 : source.lexical;
    this.shares = { encoder: 1 - share, lexical: share };
    this.spelling = spellingOf(source, lexical);
  }

  static async create(texts: readonly string[], source: SimilaritySource): Promise<SimilarityIndex> {
    const { built, encoded, settings, pause } = source;
    const memory = encoded?.vectors.memory ?? new SharedMemory(built?.memory);
    const lexical =
      built === null
        ? await LexicalIndex.create(texts, settings, memory, pause)
        : LexicalIndex.open(built.lexical, settings, memory);
    return new SimilarityIndex(texts.length, source, lexical, memory);
  }

  /** The index in a form that can be sent to another thread. */
  toShare(): SimilaritiesToShare {
    return {
      memory: this.memory.toShare,
      lexical: this.lexical.toShare(this.memory),
      means: this.near?.means.values ?? null,
    };
  }

  correct(text: string): CorrectedText {
    const written = wordsOf(text);
    const places = written.map((word) => this.lexical.placeOf(word));
    const corrections = this.spelling?.corrections(written.filter((_, i) => places[i] < 0)) ?? noCorrections;
    if (corrections.size === 0) return { text, written, words: written, places };
    const words = written.map((word) => corrections.get(word) ?? word);
    const corrected = words.map((word) => this.lexical.placeOf(word));
    return { text: respelled(text, corrections), written, words, places: corrected };
  }

  /**
   * @param known  what the encoder made of the corrected text; computed by default
   * @throws {SluiceError} MODEL_RUN_FAILED
   */
  async encode(corrected: CorrectedText, scope: RunScope, known: EncodedText | null = null): Promise<ReadText> {
    if (this.encoded === null) return { ...corrected, vector: null, truncated: false };
    if (known !== null) return { ...corrected, ...known };
    const { prefix } = this;
    const { text, written, words } = corrected;
    const wordsToEncode = prefix === "" && words === written ? written : null;
    return { ...corrected, ...(await this.encoded.encoder.encode(prefix + text, scope, wordsToEncode)) };
  }

  compare({ written, words, places, vector, truncated }: ReadText): TextSimilarities {
    const [encoder, lexical, mixed] = [this.row(0), this.row(1), this.row(2)];
    lexical.fill(0);
    this.lexical.addCosines(words, places, lexical);
    this.writeCosines(vector, encoder);
    this.mix(encoder, lexical, mixed);
    let unknown = 0;
    for (const place of places) if (place < 0) unknown += 1;
    return {
      encoder,
      lexical,
      mixed,
      vector,
      truncated,
      written,
      words: words.length,
      unknownShare: words.length === 0 ? 1 : unknown / words.length,
    };
  }

  /**
   * Similarities of some indexed texts with all of them, each of shape (rows, texts).
   * @param rows  the result of `lexical.textRows()`
   */
  textSimilarities(rows: LexicalRows, from: number, to: number): Readonly<Record<SimilarityName, Float32Array>> {
    const { textCount, encoded, wordWeight } = this;
    const { words, chars } = this.lexical;
    const lexical = new Float32Array((to - from) * textCount);
    const encoder = new Float32Array(lexical.length);
    const cosines = this.row(1);
    for (let row = from; row < to; row += 1) {
      const [start, end] = [(row - from) * textCount, (row - from + 1) * textCount];
      cosines.fill(0);
      words.addCosines(rowAt(rows.words, row), wordWeight, cosines);
      chars.addCosines(rowAt(rows.chars, row), 1 - wordWeight, cosines);
      lexical.set(cosines, start);
      encoded?.vectors.products(encoded.vectors.row(row), 0, textCount, encoder.subarray(start, end));
    }
    return { encoder, lexical };
  }

  private writeCosines(vector: Float32Array | null, into: Float32Array): void {
    if (vector === null) into.fill(0);
    else if (this.near !== null) this.near.write(vector, into);
    else this.encoded?.vectors.writeProducts(vector, 0, this.textCount, into);
  }

  private mix(encoder: Float32Array, lexical: Float32Array, into: Float32Array): void {
    const { shares, memory } = this;
    const { mix } = memory.kernels;
    mix(encoder.byteOffset, endOf(encoder), lexical.byteOffset, shares.encoder, shares.lexical, into.byteOffset);
  }

  private row(place: number): Float32Array {
    return this.rows.subarray(place * this.textCount, (place + 1) * this.textCount);
  }
}

/** null if every text is compared. */
function nearCosines(textCount: number, { encoded, starts, built }: SimilaritySource): NearCosines | null {
  if (encoded === null || textCount <= comparableTexts) return null;
  const { vectors } = encoded;
  const { columns, memory } = vectors;
  const means = built?.means ?? null;
  const found = means === null ? meansOf(vectors, starts) : new SharedRows({ values: means, columns }, memory);
  return new NearCosines(vectors, found, starts);
}

const noCorrections: ReadonlyMap<string, string> = new Map();

/** Replaces misspelt words in a text and leaves the rest as written. */
function respelled(text: string, corrections: ReadonlyMap<string, string>): string {
  return text.replace(/[A-Za-z]+/g, (word) => corrections.get(word.toLowerCase()) ?? word);
}

/** Corrections prefer words of the catalog, then the encoder's words, the more frequent first. */
function spellingOf({ settings, encoded }: SimilaritySource, lexical: LexicalIndex): Spelling | null {
  if (settings.corrected_from === null) return null;
  const listed = encoded?.encoder.words ?? [];
  const places = placesOf(listed);
  const rankOf = (word: string): number => {
    if (lexical.placeOf(word) >= 0) return 2;
    const place = places.get(word);
    return place === undefined ? -1 : 1 - place / listed.length;
  };
  return new Spelling({ lists: [lexical.wordList(), listed], rankOf }, settings.corrected_from);
}

const knownPlaces = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

/** Position of each word in a list; cached for a list that several catalogs share. */
function placesOf(words: readonly string[]): ReadonlyMap<string, number> {
  const known = knownPlaces.get(words);
  if (known !== undefined) return known;
  const places = new Map(words.map((word, place) => [word, place]));
  knownPlaces.set(words, places);
  return places;
}

/** Cosine of two texts whose vectors have length 1. */
export function cosineOf({ vectors: { values, columns } }: EncodedTexts, text: number, other: number): number {
  let [even, odd] = [0, 0];
  const [a, b] = [text * columns, other * columns];
  for (let d = 0; d + 1 < columns; d += 2) {
    even += values[a + d] * values[b + d];
    odd += values[a + d + 1] * values[b + d + 1];
  }
  return columns % 2 === 0 ? even + odd : even + odd + values[a + columns - 1] * values[b + columns - 1];
}
