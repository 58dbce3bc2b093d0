/** A sparse row: term ids ascending and their weights, L2 norm 1 (or empty). */
export interface SparseRow {
  readonly terms: Int32Array;
  readonly weights: Float64Array;
}

/** Documents that hold a term, ascending: those of term t lie at starts[t] to starts[t + 1]. */
interface Postings {
  readonly starts: Int32Array;
  readonly documents: Int32Array;
  readonly weights: Float64Array;
}

/**
 * Cosine similarity of TF-IDF rows through an inverted index. Weight (1 + ln count) * (ln((1 + N) / (1 + df)) + 1),
 * rows scaled to norm 1; terms that no document holds are dropped before scaling.
 */
export class TfidfIndex {
  readonly documentCount: number;
  private readonly termIds: ReadonlyMap<string, number>;
  private readonly idf: Float64Array;
  private readonly postings: Postings;
  private readonly rows: readonly SparseRow[];
  /** Occurrences of each term while a row is being weighed; all zero between rows. */
  private readonly counts: Float64Array;

  /** @param documents  terms of each document, with repetition */
  constructor(documents: readonly (readonly string[])[]) {
    this.documentCount = documents.length;
    const frequency = new Map<string, number>();
    for (const terms of documents) {
      for (const term of new Set(terms)) frequency.set(term, (frequency.get(term) ?? 0) + 1);
    }
    this.termIds = new Map([...frequency.keys()].sort().map((term, id) => [term, id]));
    this.idf = new Float64Array(frequency.size);
    for (const [term, id] of this.termIds) {
      this.idf[id] = Math.log((1 + documents.length) / (1 + (frequency.get(term) ?? 0))) + 1;
    }
    this.counts = new Float64Array(frequency.size);
    this.rows = documents.map((terms) => this.rowOf(terms).row);
    this.postings = invert(this.rows, frequency.size);
  }

  /** Row of a new text; share of its distinct terms that the documents know, in [0, 1] (1 for no terms). */
  rowOf(terms: readonly string[]): { readonly row: SparseRow; readonly knownShare: number } {
    const known: number[] = [];
    const unknown = new Set<string>();
    for (const term of terms) {
      const id = this.termIds.get(term);
      if (id === undefined) {
        unknown.add(term);
        continue;
      }
      const seen = this.counts[id] as number;
      if (seen === 0) known.push(id);
      this.counts[id] = seen + 1;
    }
    const distinct = known.length + unknown.size;
    return { row: this.weigh(new Int32Array(known).sort()), knownShare: distinct === 0 ? 1 : known.length / distinct };
  }

  /** Row of a document. */
  documentRow(document: number): SparseRow {
    const row = this.rows[document];
    if (row === undefined) throw new RangeError(`document ${document} of ${this.documentCount}`);
    return row;
  }

  /** Adds `scale` times the cosine similarity with every document to `into`, shape (documentCount). */
  addSimilarities(row: SparseRow, scale: number, into: Float64Array): void {
    const { starts, documents, weights } = this.postings;
    for (let i = 0; i < row.terms.length; i += 1) {
      const term = row.terms[i] as number;
      const weight = scale * (row.weights[i] as number);
      const end = starts[term + 1] as number;
      for (let j = starts[term] as number; j < end; j += 1) {
        const document = documents[j] as number;
        into[document] = (into[document] as number) + weight * (weights[j] as number);
      }
    }
  }

  /** Weights of distinct ascending terms by their counts, which become zero again. */
  private weigh(terms: Int32Array): SparseRow {
    const weights = new Float64Array(terms.length);
    let squares = 0;
    for (let i = 0; i < terms.length; i += 1) {
      const id = terms[i] as number;
      const weight = (1 + Math.log(this.counts[id] as number)) * (this.idf[id] as number);
      this.counts[id] = 0;
      weights[i] = weight;
      squares += weight * weight;
    }
    const norm = Math.sqrt(squares);
    for (let i = 0; i < weights.length; i += 1) weights[i] = (weights[i] as number) / norm;
    return { terms, weights };
  }
}

function invert(rows: readonly SparseRow[], termCount: number): Postings {
  const starts = new Int32Array(termCount + 1);
  for (const { terms } of rows) for (const term of terms) starts[term + 1] = (starts[term + 1] as number) + 1;
  for (let term = 0; term < termCount; term += 1) {
    starts[term + 1] = (starts[term + 1] as number) + (starts[term] as number);
  }
  const next = starts.slice();
  const documents = new Int32Array(starts[termCount] as number);
  const weights = new Float64Array(documents.length);
  for (const [document, row] of rows.entries()) {
    for (let i = 0; i < row.terms.length; i += 1) {
      const term = row.terms[i] as number;
      const slot = next[term] as number;
      documents[slot] = document;
      weights[slot] = row.weights[i] as number;
      next[term] = slot + 1;
    }
  }
  return { starts, documents, weights };
}
