import type { SimilaritySettings } from "../domain/model.js";
import type { RunScope } from "../domain/run-scope.js";
import { floatMatrix, onnxModel } from "../inference/onnx-graph.js";
import { plainGraph } from "../inference/plain-graph.js";
import type { LoadedModel, ModelHost } from "../inference/model-host.js";
import { rowAt } from "./sparse-rows.js";
import { Spelling } from "./spelling.js";
import { TermCounts, TermIndex } from "./term-index.js";
import type { EncodedTexts } from "./text-encoder.js";
import { charNgramsOf, wordNgramsOf, wordsOf } from "./words.js";

/** The two similarities of texts. */
export const similarityNames = ["encoder", "lexical"] as const;
export type SimilarityName = (typeof similarityNames)[number];

/** Similarities of one text with every text of the index, shape (texts) each. */
export interface TextSimilarities extends Readonly<Record<SimilarityName, Float32Array>> {
  /** Weighted by the settings. */
  readonly mixed: Float32Array;
  /** Vector of the text; null without an encoder. */
  readonly vector: Float32Array | null;
  /** true when the encoder read only the beginning of the text. */
  readonly truncated: boolean;
  /** Words of the text, with repetition. */
  readonly words: number;
  /** Share of the words that no text of the index holds, in [0, 1]; 1 for a text without words. */
  readonly unknownShare: number;
}

export interface SimilaritySource {
  readonly encoded: EncodedTexts | null;
  readonly settings: SimilaritySettings;
  /** Share of tf-idf, in [0, 1]; see `lexicalShare`. */
  readonly lexical: number;
  readonly prefix: string;
  readonly host: ModelHost;
  /** Called between blocks of the build. */
  readonly pause: () => Promise<void>;
}

/** tf-idf of words and of character n-grams. */
interface Terms {
  readonly words: TermIndex;
  readonly chars: TermIndex;
}

/** Texts that are cut into n-grams between two pauses. */
const textsPerBlock = 256;

/** Share of tf-idf for a catalog: it misleads where there are only names and descriptions, and helps with examples. */
export function lexicalShare(settings: SimilaritySettings, examplesPerWorkflow: number): number {
  if (settings.examples === 0) return settings.lexical;
  return settings.lexical * Math.min(1, examplesPerWorkflow / settings.examples);
}

/** Cosine of sentence vectors and tf-idf over fixed texts. */
export class SimilarityIndex {
  readonly textCount: number;
  readonly shares: Readonly<Record<SimilarityName, number>>;
  readonly terms: Terms;
  readonly encoded: EncodedTexts | null;
  readonly wordWeight: number;
  private readonly source: SimilaritySource;
  private readonly search: LoadedModel | null;
  private readonly spelling: Spelling | null;

  private constructor(textCount: number, source: SimilaritySource, terms: Terms, search: LoadedModel | null) {
    this.textCount = textCount;
    this.source = source;
    this.terms = terms;
    this.search = search;
    this.encoded = source.encoded;
    this.wordWeight = source.settings.wordWeight;
    const lexical = source.encoded === null ? 1 : source.lexical;
    this.shares = { encoder: 1 - lexical, lexical };
    this.spelling = spellingOf(source, terms.words);
  }

  static async create(texts: readonly string[], source: SimilaritySource): Promise<SimilarityIndex> {
    const { settings, encoded, host, pause } = source;
    const [words, chars] = [new TermCounts(), new TermCounts()];
    for (const [index, text] of texts.entries()) {
      const own = wordsOf(text);
      words.add(wordNgramsOf(own));
      chars.addGroups(own, (word) => charNgramsOf(word, settings.charMin, settings.charMax));
      if (index % textsPerBlock === textsPerBlock - 1) await pause();
    }
    const terms = { words: new TermIndex(words), chars: new TermIndex(chars) };
    const search = encoded === null ? null : await host.load(plainGraph(searchGraph(encoded)));
    return new SimilarityIndex(texts.length, source, terms, search);
  }

  async similarities(text: string, scope: RunScope): Promise<TextSimilarities> {
    const { settings, encoded, prefix } = this.source;
    const written = wordsOf(text);
    const corrections = this.spelling?.corrections(written) ?? noCorrections;
    const words = corrections.size === 0 ? written : written.map((word) => corrections.get(word) ?? word);
    const lexical = new Float32Array(this.textCount);
    const { words: wordTerms, chars } = this.terms;
    wordTerms.addCosines(wordTerms.rowOf(wordNgramsOf(words)), this.wordWeight, lexical);
    const charNgrams = words.flatMap((word) => charNgramsOf(word, settings.charMin, settings.charMax));
    chars.addCosines(chars.rowOf(charNgrams), 1 - this.wordWeight, lexical);
    const read = prefix + (corrections.size === 0 ? text : respelled(text, corrections));
    const found = encoded === null ? null : await encoded.encoder.encode(read, scope);
    const cosines = found === null ? new Float32Array(this.textCount) : await this.cosines(found.vector, 1, scope);
    const unknown = words.reduce((count, word) => (wordTerms.knows(word) ? count : count + 1), 0);
    return {
      encoder: cosines,
      lexical,
      mixed: this.mix(cosines, lexical),
      vector: found?.vector ?? null,
      truncated: found?.truncated ?? false,
      words: words.length,
      unknownShare: words.length === 0 ? 1 : unknown / words.length,
    };
  }

  /** Similarities of texts of the index with every text, shape (rows, texts) each. */
  async textSimilarities(
    from: number,
    to: number,
    scope: RunScope,
  ): Promise<Readonly<Record<SimilarityName, Float32Array>>> {
    const { words, chars } = this.terms;
    const { textCount, encoded } = this;
    const lexical = new Float32Array((to - from) * textCount);
    for (let row = from; row < to; row += 1) {
      const into = lexical.subarray((row - from) * textCount, (row - from + 1) * textCount);
      words.addCosines(rowAt(words.rows, row), this.wordWeight, into);
      chars.addCosines(rowAt(chars.rows, row), 1 - this.wordWeight, into);
    }
    if (encoded === null) return { encoder: new Float32Array(lexical.length), lexical };
    const { dimensions } = encoded.encoder;
    const vectors = encoded.vectors.slice(from * dimensions, to * dimensions);
    return { encoder: await this.cosines(vectors, to - from, scope), lexical };
  }

  /** @param vectors  shape (rows, dimensions) @returns shape (rows, texts) */
  private async cosines(vectors: Float32Array, rows: number, scope: RunScope): Promise<Float32Array> {
    if (this.search === null || this.encoded === null) return new Float32Array(rows * this.textCount);
    const matrix = { rows, columns: this.encoded.encoder.dimensions, values: vectors };
    return (await this.search.run({ kind: "matrix", matrix }, scope)).matrix.values;
  }

  private mix(encoder: Float32Array, lexical: Float32Array): Float32Array {
    const { shares } = this;
    const mixed = new Float32Array(this.textCount);
    for (let i = 0; i < mixed.length; i += 1) mixed[i] = shares.encoder * encoder[i] + shares.lexical * lexical[i];
    return mixed;
  }
}

/** `vectors` [n, dimensions] -> `cosines` [n, texts]. */
function searchGraph({ encoder, vectors }: EncodedTexts): Buffer {
  const { dimensions } = encoder;
  const texts = vectors.length / dimensions;
  const columns = new Float32Array(vectors.length);
  for (let text = 0; text < texts; text += 1) {
    for (let d = 0; d < dimensions; d += 1) columns[d * texts + text] = vectors[text * dimensions + d];
  }
  return onnxModel({
    name: "exact_search",
    inputs: [floatMatrix("vectors", dimensions)],
    outputs: [floatMatrix("cosines", texts)],
    constants: [{ name: "texts", dimensions: [dimensions, texts], values: columns }],
    nodes: [{ operator: "MatMul", inputs: ["vectors", "texts"], outputs: ["cosines"] }],
  });
}

const noCorrections: ReadonlyMap<string, string> = new Map();

/** The text with misspelt words replaced, everything else as written. */
function respelled(text: string, corrections: ReadonlyMap<string, string>): string {
  return text.replace(/[A-Za-z]+/g, (word) => corrections.get(word.toLowerCase()) ?? word);
}

/** Words of the catalog are known best, then those of the encoder, the more frequent ones before the others. */
function spellingOf({ settings, encoded }: SimilaritySource, catalog: TermIndex): Spelling | null {
  if (settings.correctedFrom === null) return null;
  const listed = encoded?.encoder.words ?? [];
  const places = placesOf(listed);
  const rankOf = (word: string): number => {
    if (catalog.knows(word)) return 2;
    const place = places.get(word);
    return place === undefined ? -1 : 1 - place / listed.length;
  };
  return new Spelling({ lists: [[...catalog.terms()], listed], rankOf }, settings.correctedFrom);
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

/** Cosine of two rows of vectors that have length 1. */
export function cosineOf({ encoder, vectors }: EncodedTexts, text: number, other: number): number {
  const { dimensions } = encoder;
  let [even, odd] = [0, 0];
  const [a, b] = [text * dimensions, other * dimensions];
  for (let d = 0; d + 1 < dimensions; d += 2) {
    even += vectors[a + d] * vectors[b + d];
    odd += vectors[a + d + 1] * vectors[b + d + 1];
  }
  return dimensions % 2 === 0 ? even + odd : even + odd + vectors[a + dimensions - 1] * vectors[b + dimensions - 1];
}
