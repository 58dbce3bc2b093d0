import type { SharedMemory } from "../../inference/shared-memory.js";
import { IntegerList, pairKey, placeOfKey, TermNumbers } from "./term-numbers.js";
import { rowAt, rowCount, type SparseRow, type SparseRows, transposed } from "./sparse-rows.js";

export interface CountedTerms {
  /** Terms with a name, in the order of their positions, starting at 0. */
  readonly vocabulary: readonly string[];
  /** Terms that are pairs of words, positioned after the vocabulary: ascending keys of `pairKey`. */
  readonly pairKeys: Float64Array;
  /** Counts of each text's terms. */
  readonly rows: SparseRows;
}

/** Texts made of recurring groups of terms, such as words made of n-grams. */
export interface GroupedTexts {
  /** Groups of text t are at starts[t] up to (not including) starts[t + 1], in order. */
  readonly starts: Int32Array;
  readonly groups: Int32Array;
}

/**
 * Positions of the terms of each group, with repetition: those of g are at starts[g] up to (not including) starts[g +
 * 1].
 */
export interface GroupTerms {
  readonly starts: Int32Array;
  readonly places: Int32Array;
}

/** Terms of texts with their counts, collected text by text and then numbered once. */
export class TermCounts {
  private readonly numbers = new TermNumbers();
  private readonly starts = new IntegerList();
  private readonly terms = new IntegerList();

  constructor() {
    this.starts.push(0);
  }

  /** @param texts  terms of each text, with repetition */
  static of(texts: readonly (readonly string[])[]): TermCounts {
    const counts = new TermCounts();
    for (const terms of texts) counts.add(terms);
    return counts;
  }

  /** @param terms terms of one text, with repetition */
  add(terms: readonly string[]): void {
    for (const term of terms) this.terms.push(this.numbers.idOf(term));
    this.starts.push(this.terms.length);
  }

  /** Numbers the terms in sorted order, so that nothing depends on the order of the texts. */
  counted(): CountedTerms {
    const { vocabulary, places } = this.numbers.sorted();
    const terms = this.terms.values;
    for (let i = 0; i < terms.length; i += 1) terms[i] = places[terms[i]];
    const rows = mergedRows(this.starts.values, terms, vocabulary.length);
    return { vocabulary, pairKeys: new Float64Array(), rows };
  }
}

/**
 * Merges the terms of each text: every term once with its count, in order of first occurrence.
 * @param starts  terms of a text are at starts[text] up to (not including) starts[text + 1]; overwritten
 * @param terms  terms of all texts, with repetition; overwritten, because a large catalog has millions
 */
export function mergedRows(starts: Int32Array, terms: Int32Array, termCount: number): SparseRows {
  const weights = new Float32Array(terms.length);
  const counts = new Float32Array(termCount);
  let [from, end] = [0, 0];
  for (let text = 0; text + 1 < starts.length; text += 1) {
    const begin = end;
    for (const to = starts[text + 1]; from < to; from += 1) {
      const term = terms[from];
      if (counts[term] === 0) {
        terms[end] = term;
        end += 1;
      }
      counts[term] += 1;
    }
    for (let i = begin; i < end; i += 1) {
      weights[i] = counts[terms[i]];
      counts[terms[i]] = 0;
    }
    starts[text + 1] = end;
  }
  return { starts, terms: terms.subarray(0, end), weights: weights.subarray(0, end) };
}

/** Writes ln((1 + N) / (1 + df)) + 1 for each term. @param frequency  number of texts that contain each term */
function writeInverseFrequencies(frequency: Int32Array, texts: number, into: Float32Array): void {
  for (let term = 0; term < into.length; term += 1) into[term] = Math.log((1 + texts) / (1 + frequency[term])) + 1;
}

/** Number of texts that contain each term. */
function frequenciesOf({ terms }: SparseRows, termCount: number): Int32Array {
  const frequency = new Int32Array(termCount);
  for (let i = 0; i < terms.length; i += 1) frequency[terms[i]] += 1;
  return frequency;
}

/** Scales weights to norm 1 in place; zero weights are unchanged. */
export function scaleToUnit(weights: Float32Array): void {
  let squares = 0;
  for (let i = 0; i < weights.length; i += 1) squares += weights[i] * weights[i];
  if (squares === 0) return;
  const scale = 1 / Math.sqrt(squares);
  for (let i = 0; i < weights.length; i += 1) weights[i] *= scale;
}

/** The parts of a term index besides the names: lists in memory that threads share. */
export interface TermLists {
  readonly pairKeys: Float64Array;
  readonly idf: Float32Array;
  /** Weights of the texts by term. */
  readonly postings: SparseRows;
}

/** TF-IDF rows of norm 1 over the terms of fixed texts, with weight (1 + ln count) * idf. */
export class TermIndex {
  readonly termCount: number;
  /** Terms with a name, in the order of their positions. */
  readonly vocabulary: readonly string[];
  readonly lists: TermLists;
  private readonly textCount: number;
  private readonly places: ReadonlyMap<string, number>;
  private readonly memory: SharedMemory;
  /** Counts of the new text's terms; all zero between calls. */
  private readonly counts: Float32Array;
  private readonly row: SparseRow;
  private rowLength = 0;
  /** Buffer for the scaled weights of a row. */
  private readonly scaled: Float32Array;

  /** @param lists lists in `memory` for this number of texts */
  constructor(vocabulary: readonly string[], lists: TermLists, textCount: number, memory: SharedMemory) {
    this.termCount = vocabulary.length + lists.pairKeys.length;
    this.vocabulary = vocabulary;
    this.lists = lists;
    this.textCount = textCount;
    this.places = new Map(vocabulary.map((term, place) => [term, place]));
    this.memory = memory;
    this.counts = new Float32Array(this.termCount);
    this.row = { terms: memory.int32(this.termCount), weights: new Float32Array(this.termCount) };
    this.scaled = memory.float32(this.termCount);
  }

  static of({ vocabulary, pairKeys, rows }: CountedTerms, memory: SharedMemory): TermIndex {
    const termCount = vocabulary.length + pairKeys.length;
    const idf = memory.float32(termCount);
    writeInverseFrequencies(frequenciesOf(rows, termCount), rowCount(rows), idf);
    for (let row = 0; row < rowCount(rows); row += 1) weigh(rowAt(rows, row), idf);
    const keys = memory.float64(pairKeys.length);
    keys.set(pairKeys);
    const lists = { pairKeys: keys, idf, postings: transposed(rows, termCount, memory) };
    return new TermIndex(vocabulary, lists, rowCount(rows), memory);
  }

  /**
   * Builds the lists for texts of groups, text by text, because a large catalog has millions of n-grams.
   * @param vocabulary  the terms of `terms`, by position
   */
  static ofGroups(
    vocabulary: readonly string[],
    texts: GroupedTexts,
    terms: GroupTerms,
    memory: SharedMemory,
  ): TermIndex {
    const rows = new RowsOfGroups(texts, terms, vocabulary.length);
    const frequency = new Int32Array(vocabulary.length);
    for (let text = 0; text < rows.count; text += 1) {
      const { terms: found } = rows.at(text);
      for (let i = 0; i < found.length; i += 1) frequency[found[i]] += 1;
    }
    const idf = memory.float32(vocabulary.length);
    writeInverseFrequencies(frequency, rows.count, idf);
    const starts = memory.int32(vocabulary.length + 1);
    for (let term = 0; term < frequency.length; term += 1) starts[term + 1] = starts[term] + frequency[term];
    const next = starts.slice();
    const postings = {
      starts,
      terms: memory.int32(starts[vocabulary.length]),
      weights: memory.float32(starts[vocabulary.length]),
    };
    for (let text = 0; text < rows.count; text += 1) {
      const row = rows.at(text);
      weigh(row, idf);
      for (let i = 0; i < row.terms.length; i += 1) {
        const slot = next[row.terms[i]];
        postings.terms[slot] = text;
        postings.weights[slot] = row.weights[i];
        next[row.terms[i]] = slot + 1;
      }
    }
    return new TermIndex(vocabulary, { pairKeys: memory.float64(0), idf, postings }, rows.count, memory);
  }

  /**
   * Row of a new text's words and of their pairs, formed as in `WordPairCounts`; valid until the next call.
   * @param places  positions of the words; -1 for unknown ones
   */
  rowOfWords(places: readonly number[]): SparseRow {
    const wordCount = this.places.size;
    let before = -1;
    for (const place of places) {
      if (place >= 0) this.count(place);
      const known = place >= 0 && before >= 0;
      const pair = known ? placeOfKey(this.lists.pairKeys, pairKey(before, place, wordCount)) : -1;
      if (pair >= 0) this.count(wordCount + pair);
      before = place;
    }
    return this.weighedRow();
  }

  /** The same for a text of groups of terms. @param groups  positions of the terms */
  rowOfGroups(groups: readonly Int32Array[]): SparseRow {
    for (const group of groups) for (let i = 0; i < group.length; i += 1) this.count(group[i]);
    return this.weighedRow();
  }

  /** Position of a term; -1 if no text contains it. */
  placeOf(term: string): number {
    return this.places.get(term) ?? -1;
  }

  /**
   * Rows of the indexed texts, computed at each call: they are needed for fitting heads, not for answering requests.
   */
  textRows(): SparseRows {
    return transposed(this.lists.postings, this.textCount);
  }

  /**
   * Adds `scale` times the cosine with every text to `into`, shape (texts). @param into  array in the memory of the
   * index
   */
  addCosines({ terms, weights }: SparseRow, scale: number, into: Float32Array): void {
    const { starts, terms: texts, weights: ofTexts } = this.lists.postings;
    const { row, scaled } = this;
    if (terms.buffer !== row.terms.buffer) row.terms.set(terms);
    for (let i = 0; i < weights.length; i += 1) scaled[i] = scale * weights[i];
    const end = row.terms.byteOffset + terms.byteLength;
    this.memory.kernels.addProducts(
      row.terms.byteOffset,
      end,
      scaled.byteOffset,
      starts.byteOffset,
      texts.byteOffset,
      ofTexts.byteOffset,
      into.byteOffset,
    );
  }

  private count(place: number): void {
    const count = this.counts[place];
    this.counts[place] = count + 1;
    if (count > 0) return;
    this.row.terms[this.rowLength] = place;
    this.rowLength += 1;
  }

  private weighedRow(): SparseRow {
    const terms = this.row.terms.subarray(0, this.rowLength);
    const weights = this.row.weights.subarray(0, this.rowLength);
    for (let i = 0; i < terms.length; i += 1) {
      weights[i] = this.counts[terms[i]];
      this.counts[terms[i]] = 0;
    }
    this.rowLength = 0;
    const row = { terms, weights };
    weigh(row, this.lists.idf);
    return row;
  }
}

/** The terms of each text with their counts, in order of first occurrence. */
class RowsOfGroups {
  readonly count: number;
  private readonly texts: GroupedTexts;
  private readonly terms: GroupTerms;
  /** All zero between calls. */
  private readonly counts: Float32Array;
  private readonly row: SparseRow;

  constructor(texts: GroupedTexts, terms: GroupTerms, termCount: number) {
    this.count = texts.starts.length - 1;
    this.texts = texts;
    this.terms = terms;
    this.counts = new Float32Array(termCount);
    this.row = { terms: new Int32Array(termCount), weights: new Float32Array(termCount) };
  }

  /** Valid until the next call. */
  at(text: number): SparseRow {
    const { counts, row, texts } = this;
    const { starts, places } = this.terms;
    let length = 0;
    for (let at = texts.starts[text]; at < texts.starts[text + 1]; at += 1) {
      const group = texts.groups[at];
      for (let i = starts[group]; i < starts[group + 1]; i += 1) {
        const term = places[i];
        if (counts[term] === 0) {
          row.terms[length] = term;
          length += 1;
        }
        counts[term] += 1;
      }
    }
    const [terms, weights] = [row.terms.subarray(0, length), row.weights.subarray(0, length)];
    for (let i = 0; i < length; i += 1) {
      weights[i] = counts[terms[i]];
      counts[terms[i]] = 0;
    }
    return { terms, weights };
  }
}

/** Converts counts to weights in place. */
function weigh({ terms, weights }: SparseRow, idf: Float32Array): void {
  for (let i = 0; i < terms.length; i += 1) {
    const count = weights[i];
    weights[i] = count === 1 ? idf[terms[i]] : (1 + Math.log(count)) * idf[terms[i]];
  }
  scaleToUnit(weights);
}
