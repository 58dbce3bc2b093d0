import type { SimilaritySettings } from "../../documents/model.js";
import type { RunScope } from "../../documents/run-scope.js";
import { endOf, SharedMemory, type WasmMemory } from "../../inference/shared-memory.js";
import { SharedRows } from "../../inference/shared-rows.js";
import { LexicalIndex, type LexicalRows, type LexicalToShare } from "./lexical-index.js";
import { meansOf, NearCosines } from "./near-cosines.js";
import { rowAt } from "./sparse-rows.js";
import { Spelling } from "./spelling.js";
import type { EncodedTexts } from "./text-encoder.js";
import { wordsOf } from "./words.js";

/** Most texts that are all compared with each other and with every request; otherwise heads are stored with vectors. */
export const comparableTexts = 3072;

/** The two similarities of texts. */
export const similarityNames = ["encoder", "lexical"] as const;
export type SimilarityName = (typeof similarityNames)[number];

/** A text as the encoder and the index of words read it. */
export interface ReadText {
  /** With repetition, as written. */
  readonly written: readonly string[];
  /** The same, corrected. */
  readonly words: readonly string[];
  /** Place of each corrected word in the index of words; -1 for a word that none of its texts contains. */
  readonly places: readonly number[];
  /** null without an encoder. */
  readonly vector: Float32Array | null;
  /** true when the encoder read only the beginning of the text. */
  readonly truncated: boolean;
  /** false when the encoder read corrected words. */
  readonly asWritten: boolean;
}

/**
 * Similarities of one text with every text of the index, shape (texts) each; in the memory of the index, and valid until
 * it compares the next text.
 */
export interface TextSimilarities extends Readonly<Record<SimilarityName, Float32Array>> {
  /** Weighted by the settings. */
  readonly mixed: Float32Array;
  /** Vector of the text; null without an encoder. */
  readonly vector: Float32Array | null;
  /** true when the encoder read only the beginning of the text. */
  readonly truncated: boolean;
  /** Words of the text as written, with repetition. */
  readonly written: readonly string[];
  /** Number of these words. */
  readonly words: number;
  /** Share of the words that no text of the index contains, in [0, 1]; 1 for a text without words. */
  readonly unknownShare: number;
}

export interface SimilaritySource {
  readonly encoded: EncodedTexts | null;
  /** Texts of workflow w lie at starts[w] to starts[w + 1]. */
  readonly starts: Int32Array;
  readonly settings: SimilaritySettings;
  /** Share of tf-idf, in [0, 1]; see `lexicalShare`. */
  readonly lexical: number;
  readonly prefix: string;
  /** What another thread has built; null to build it. */
  readonly built: SimilaritiesToShare | null;
  /** Called between blocks of the build. */
  readonly pause: () => Promise<void>;
}

/** What threads share in addition to the vectors; all lists are in `memory`, with the vectors if there are any. */
export interface SimilaritiesToShare {
  readonly memory: WasmMemory;
  readonly lexical: LexicalToShare;
  /** Mean vector of each workflow of a large catalog; null where every text is compared. */
  readonly means: Float32Array | null;
}

/** Share of tf-idf for a catalog: it misleads where there are only names and descriptions, and helps with examples. */
export function lexicalShare(settings: SimilaritySettings, examplesPerWorkflow: number): number {
  if (settings.examples === 0) return settings.lexical;
  return settings.lexical * Math.min(1, examplesPerWorkflow / settings.examples);
}

/** Cosine of sentence vectors and tf-idf over fixed texts. */
export class SimilarityIndex {
  readonly textCount: number;
  readonly shares: Readonly<Record<SimilarityName, number>>;
  readonly lexical: LexicalIndex;
  readonly encoded: EncodedTexts | null;
  readonly wordWeight: number;
  readonly memory: SharedMemory;
  /** Shape (3, texts): by the encoder, by tf-idf, and mixed. */
  readonly rows: Float32Array;
  /** null where every text is compared. */
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

  /** For another thread. */
  toShare(): SimilaritiesToShare {
    return {
      memory: this.memory.toShare,
      lexical: this.lexical.toShare(this.memory),
      means: this.near?.means.values ?? null,
    };
  }

  /**
   * Corrects and encodes a text.
   * @param known  vector of the text as written, where it was read to its end; encoded here by default
   * @throws {SluiceError} MODEL_RUN_FAILED
   */
  async read(text: string, scope: RunScope, known: Float32Array | null = null): Promise<ReadText> {
    const { prefix } = this;
    const written = wordsOf(text);
    const places = written.map((word) => this.lexical.placeOf(word));
    const corrections = this.spelling?.corrections(written.filter((_, i) => places[i] < 0)) ?? noCorrections;
    if (corrections.size === 0) {
      const asRead = { written, words: written, places, asWritten: true };
      if (known !== null) return { ...asRead, vector: known, truncated: false };
      return { ...asRead, ...(await this.encode(prefix + text, scope, prefix === "" ? written : null)) };
    }
    const words = written.map((word) => corrections.get(word) ?? word);
    const corrected = words.map((word) => this.lexical.placeOf(word));
    const encoded = await this.encode(prefix + respelled(text, corrections), scope, null);
    return { written, words, places: corrected, asWritten: false, ...encoded };
  }

  private async encode(
    text: string,
    scope: RunScope,
    words: readonly string[] | null,
  ): Promise<Pick<ReadText, "vector" | "truncated">> {
    return this.encoded === null ? notEncoded : this.encoded.encoder.encode(text, scope, words);
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
   * Similarities of texts of the index with every text, shape (rows, texts) each.
   * @param rows  all of `lexical.textRows()`
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

/** null where every text is compared. */
function nearCosines(textCount: number, { encoded, starts, built }: SimilaritySource): NearCosines | null {
  if (encoded === null || textCount <= comparableTexts) return null;
  const { vectors } = encoded;
  const { columns, memory } = vectors;
  const means = built?.means ?? null;
  const found = means === null ? meansOf(vectors, starts) : new SharedRows({ values: means, columns }, memory);
  return new NearCosines(vectors, found, starts);
}

const notEncoded = { vector: null, truncated: false } as const;
const noCorrections: ReadonlyMap<string, string> = new Map();

/** The text with misspelt words replaced, everything else as written. */
function respelled(text: string, corrections: ReadonlyMap<string, string>): string {
  return text.replace(/[A-Za-z]+/g, (word) => corrections.get(word.toLowerCase()) ?? word);
}

/** Corrections prefer words of the catalog, then those of the encoder, more frequent ones first. */
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

/** Place of each word in a list; found once for a list that several catalogs share. */
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
