import { endOf, type SharedMemory } from "../inference/shared-memory.js";
import { IntegerList } from "./integer-list.js";
import { rowAt, rowCount, type SparseRow, type SparseRows, transposed } from "./sparse-rows.js";
import { pairKey, placeOfKey } from "./pair-keys.js";
import { TermNumbers } from "./term-numbers.js";

/** Numbered terms of texts. */
export interface CountedTerms {
  /** Terms with a name, in the order of their places from 0 on. */
  readonly vocabulary: readonly string[];
  /** Terms that are pairs of the vocabulary, in the order of their places behind it: ascending keys of `pairKey`. */
  readonly pairKeys: Float64Array;
  /** Counts of each text's terms. */
  readonly rows: SparseRows;
  /** Places of the terms of each group. */
  readonly groups: ReadonlyMap<string, Int32Array>;
}

/** Terms of texts with their counts, collected one text after another, then numbered once. */
export class TermCounts {
  private readonly numbers = new TermNumbers();
  private readonly starts = new IntegerList();
  private readonly terms = new IntegerList();
  /** Ids of the terms of each group that came before. */
  private readonly groups = new Map<string, Int32Array>();

  constructor() {
    this.starts.push(0);
  }

  /** @param texts  terms of each text, with repetition */
  static of(texts: readonly (readonly string[])[]): TermCounts {
    const counts = new TermCounts();
    for (const terms of texts) counts.add(terms);
    return counts;
  }

  /** @param terms  of one text, with repetition */
  add(terms: readonly string[]): void {
    for (const term of terms) this.terms.push(this.numbers.idOf(term));
    this.starts.push(this.terms.length);
  }

  /**
   * The same for a text of groups that come again and again, as words do with their character n-grams.
   * @param termsOf  terms of a group, asked once for each
   */
  addGroups(groups: readonly string[], termsOf: (group: string) => readonly string[]): void {
    for (const group of groups) {
      const known = this.groups.get(group);
      const ids = known ?? Int32Array.from(termsOf(group), (term) => this.numbers.idOf(term));
      if (known === undefined) this.groups.set(group, ids);
      this.terms.pushAll(ids);
    }
    this.starts.push(this.terms.length);
  }

  /** Terms are the sorted ones: nothing depends on the order of the texts. */
  counted(): CountedTerms {
    const { vocabulary, places } = this.numbers.sorted();
    const terms = this.terms.values;
    for (let i = 0; i < terms.length; i += 1) terms[i] = places[terms[i]];
    const groups = new Map([...this.groups].map(([group, ids]) => [group, ids.map((id) => places[id])]));
    const rows = mergedRows(this.starts.values, terms, vocabulary.length);
    return { vocabulary, pairKeys: new Float64Array(), rows, groups };
  }
}

/**
 * Each term of a text once with its count, in the order in which the text has them.
 * @param starts  terms of a text lie at starts[text] to starts[text + 1]; overwritten
 * @param terms  of all texts, with repetition; overwritten, because a large catalog has millions
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

/** ln((1 + N) / (1 + df)) + 1 of each term. */
export function inverseFrequencies(rows: SparseRows, termCount: number): Float32Array {
  const frequency = new Float32Array(termCount);
  for (let i = 0; i < rows.terms.length; i += 1) frequency[rows.terms[i]] += 1;
  const texts = rowCount(rows);
  return frequency.map((holders) => Math.log((1 + texts) / (1 + holders)) + 1);
}

/** Scales weights to norm 1 in place; all zero stays all zero. */
export function scaleToUnit(weights: Float32Array): void {
  let squares = 0;
  for (let i = 0; i < weights.length; i += 1) squares += weights[i] * weights[i];
  if (squares === 0) return;
  const scale = 1 / Math.sqrt(squares);
  for (let i = 0; i < weights.length; i += 1) weights[i] *= scale;
}

/** What an index of terms needs besides the names: lists in memory that threads share. */
export interface TermLists {
  readonly pairKeys: Float64Array;
  readonly idf: Float32Array;
  /** Weights of the texts by term. */
  readonly postings: SparseRows;
}

/** TF-IDF rows of norm 1 over the terms of fixed texts: weight (1 + ln count) * idf. */
export class TermIndex {
  readonly termCount: number;
  /** Terms with a name, in the order of their places. */
  readonly vocabulary: readonly string[];
  readonly lists: TermLists;
  private readonly textCount: number;
  private readonly places: ReadonlyMap<string, number>;
  private readonly memory: SharedMemory;
  /** Counts of the new text's terms; all zero between texts. */
  private readonly counts: Float32Array;
  /** Room for the row of a new text. */
  private readonly row: SparseRow;
  private rowLength = 0;
  /** Room for the weights of a row, scaled. */
  private readonly scaled: Float64Array;

  /** @param lists  in the memory, of as many texts */
  constructor(vocabulary: readonly string[], lists: TermLists, textCount: number, memory: SharedMemory) {
    this.termCount = vocabulary.length + lists.pairKeys.length;
    this.vocabulary = vocabulary;
    this.lists = lists;
    this.textCount = textCount;
    this.places = new Map(vocabulary.map((term, place) => [term, place]));
    this.memory = memory;
    this.counts = new Float32Array(this.termCount);
    this.row = { terms: memory.int32(this.termCount), weights: new Float32Array(this.termCount) };
    this.scaled = memory.float64(this.termCount);
  }

  /** Builds the lists. */
  static of({ vocabulary, pairKeys, rows }: CountedTerms, memory: SharedMemory): TermIndex {
    const termCount = vocabulary.length + pairKeys.length;
    const idf = memory.float32(termCount);
    idf.set(inverseFrequencies(rows, termCount));
    for (let row = 0; row < rowCount(rows); row += 1) weigh(rowAt(rows, row), idf);
    const keys = memory.float64(pairKeys.length);
    keys.set(pairKeys);
    const lists = { pairKeys: keys, idf, postings: transposed(rows, termCount, memory) };
    return new TermIndex(vocabulary, lists, rowCount(rows), memory);
  }

  /** Row of a new text, valid until the next one; terms that no text of the index holds are dropped. */
  rowOf(terms: readonly string[]): SparseRow {
    return this.rowOfGroups([terms]);
  }

  /** The same for the words of a text and their pairs, as `WordPairCounts` takes them. @param places  of the words; -1 for unknown ones */
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

  /** The same for a text of groups of terms. @param groups  places of the terms, or the terms of an unknown group */
  rowOfGroups(groups: readonly (Int32Array | readonly string[])[]): SparseRow {
    for (const group of groups) {
      if (group instanceof Int32Array) for (let i = 0; i < group.length; i += 1) this.count(group[i]);
      else this.countTerms(group);
    }
    return this.weighedRow();
  }

  /** -1 for a term that no text holds. */
  placeOf(term: string): number {
    return this.places.get(term) ?? -1;
  }

  /** Rows of the texts of the index, made at each call: they are needed to fit heads, not to answer. */
  textRows(): SparseRows {
    return transposed(this.lists.postings, this.textCount);
  }

  /** Adds `scale` times the cosine with every text to `into`, shape (texts). @param into  in the memory */
  addCosines({ terms, weights }: SparseRow, scale: number, into: Float32Array): void {
    const { starts, terms: texts, weights: ofTexts } = this.lists.postings;
    const { row, scaled } = this;
    if (terms.buffer !== row.terms.buffer) row.terms.set(terms);
    for (let i = 0; i < weights.length; i += 1) scaled[i] = scale * weights[i];
    const end = endOf(row.terms.subarray(0, terms.length));
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

  private countTerms(terms: readonly string[]): void {
    for (const term of terms) {
      const place = this.places.get(term);
      if (place !== undefined) this.count(place);
    }
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

/** Turns counts into weights, in place. */
function weigh({ terms, weights }: SparseRow, idf: Float32Array): void {
  for (let i = 0; i < terms.length; i += 1) {
    const count = weights[i];
    weights[i] = count === 1 ? idf[terms[i]] : (1 + Math.log(count)) * idf[terms[i]];
  }
  scaleToUnit(weights);
}
