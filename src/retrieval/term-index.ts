import { IntegerList } from "./integer-list.js";
import { addProducts, rowAt, rowCount, type SparseRow, type SparseRows, transposed } from "./sparse-rows.js";
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
  for (const weight of weights) squares += weight * weight;
  if (squares === 0) return;
  const scale = 1 / Math.sqrt(squares);
  for (let i = 0; i < weights.length; i += 1) weights[i] *= scale;
}

/** TF-IDF rows of norm 1 over the terms of fixed texts: weight (1 + ln count) * idf. */
export class TermIndex {
  readonly textCount: number;
  readonly termCount: number;
  private readonly places: ReadonlyMap<string, number>;
  private readonly pairKeys: Float64Array;
  private readonly groups: ReadonlyMap<string, Int32Array>;
  private readonly idf: Float32Array;
  private readonly postings: SparseRows;
  /** Counts of the new text's terms; all zero between texts. */
  private readonly counts: Float32Array;
  /** Room for the row of a new text. */
  private readonly row: SparseRow;
  private rowLength = 0;

  constructor({ vocabulary, pairKeys, rows, groups }: CountedTerms) {
    this.termCount = vocabulary.length + pairKeys.length;
    this.pairKeys = pairKeys;
    this.places = new Map(vocabulary.map((term, place) => [term, place]));
    this.groups = groups;
    this.idf = inverseFrequencies(rows, this.termCount);
    this.counts = new Float32Array(this.termCount);
    this.row = { terms: new Int32Array(this.termCount), weights: new Float32Array(this.termCount) };
    for (let row = 0; row < rowCount(rows); row += 1) this.weigh(rowAt(rows, row));
    this.textCount = rowCount(rows);
    this.postings = transposed(rows, this.termCount);
  }

  /** Row of a new text, valid until the next one; terms that no text of the index holds are dropped. */
  rowOf(terms: readonly string[]): SparseRow {
    this.countTerms(terms);
    return this.weighedRow();
  }

  /** The same for the words of a text and their pairs, as `WordPairCounts` takes them. */
  rowOfWords(words: readonly string[]): SparseRow {
    const wordCount = this.places.size;
    let before = -1;
    for (const word of words) {
      const place = this.places.get(word) ?? -1;
      if (place >= 0) this.count(place);
      const pair = place < 0 || before < 0 ? -1 : placeOfKey(this.pairKeys, pairKey(before, place, wordCount));
      if (pair >= 0) this.count(wordCount + pair);
      before = place;
    }
    return this.weighedRow();
  }

  /** The same for a text of groups, as `TermCounts.addGroups` takes them. @param termsOf  asked for unknown groups */
  rowOfGroups(groups: readonly string[], termsOf: (group: string) => readonly string[]): SparseRow {
    for (const group of groups) {
      const known = this.groups.get(group);
      if (known === undefined) this.countTerms(termsOf(group));
      else for (let i = 0; i < known.length; i += 1) this.count(known[i]);
    }
    return this.weighedRow();
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
    this.weigh({ terms, weights });
    return { terms, weights };
  }

  /** Rows of the texts of the index, made at each call: they are needed to fit heads, not to answer. */
  textRows(): SparseRows {
    return transposed(this.postings, this.textCount);
  }

  /** The groups of `TermCounts.addGroups`. */
  groupNames(): Iterable<string> {
    return this.groups.keys();
  }

  knows(term: string): boolean {
    return this.places.has(term);
  }

  /** Adds `scale` times the cosine with every text to `into`, shape (texts). */
  addCosines(row: SparseRow, scale: number, into: Float32Array): void {
    addProducts(this.postings, row, scale, into);
  }

  /** Turns counts into weights, in place. */
  private weigh({ terms, weights }: SparseRow): void {
    for (let i = 0; i < terms.length; i += 1) {
      const count = weights[i];
      weights[i] = count === 1 ? this.idf[terms[i]] : (1 + Math.log(count)) * this.idf[terms[i]];
    }
    scaleToUnit(weights);
  }
}
