/** A sparse row: term ids ascending and their weights, L2 norm 1 (or empty). */
export interface SparseRow {
  readonly terms: Int32Array;
  readonly weights: Float64Array;
}

interface Postings {
  readonly documents: Int32Array;
  readonly weights: Float64Array;
}

function countTerms(terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/**
 * Cosine similarity of TF-IDF rows through an inverted index. Weight (1 + ln count) * (ln((1 + N) / (1 + df)) + 1),
 * rows scaled to norm 1; terms that no document holds are dropped before scaling.
 */
export class TfidfIndex {
  readonly documentCount: number;
  private readonly termIds: ReadonlyMap<string, number>;
  private readonly idf: Float64Array;
  private readonly postings: readonly Postings[];
  private readonly rows: readonly SparseRow[];

  /** @param documents  terms of each document, with repetition */
  constructor(documents: readonly (readonly string[])[]) {
    this.documentCount = documents.length;
    const counted = documents.map(countTerms);
    const frequency = new Map<string, number>();
    for (const counts of counted) for (const term of counts.keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1);
    this.termIds = new Map([...frequency.keys()].sort().map((term, id) => [term, id]));
    this.idf = new Float64Array(frequency.size);
    for (const [term, id] of this.termIds) {
      this.idf[id] = Math.log((1 + documents.length) / (1 + (frequency.get(term) ?? 0))) + 1;
    }
    this.rows = counted.map((counts) => this.weigh(counts));
    this.postings = invert(this.rows, frequency.size);
  }

  /** Row of a new text; share of its distinct terms that the documents know, in [0, 1] (1 for no terms). */
  rowOf(terms: readonly string[]): { readonly row: SparseRow; readonly knownShare: number } {
    const counts = countTerms(terms);
    const row = this.weigh(counts);
    return { row, knownShare: counts.size === 0 ? 1 : row.terms.length / counts.size };
  }

  /** Row of a document. */
  documentRow(document: number): SparseRow {
    const row = this.rows[document];
    if (row === undefined) throw new RangeError(`document ${document} of ${this.documentCount}`);
    return row;
  }

  /** Adds `scale` times the cosine similarity with every document to `into`, shape (documentCount). */
  addSimilarities(row: SparseRow, scale: number, into: Float64Array): void {
    for (let i = 0; i < row.terms.length; i += 1) {
      const posting = this.postings[row.terms[i] ?? -1];
      if (posting === undefined) continue;
      const weight = scale * (row.weights[i] ?? 0);
      const { documents, weights } = posting;
      for (let j = 0; j < documents.length; j += 1) {
        const document = documents[j] as number;
        into[document] = (into[document] as number) + weight * (weights[j] as number);
      }
    }
  }

  private weigh(counts: ReadonlyMap<string, number>): SparseRow {
    const known: { readonly id: number; readonly weight: number }[] = [];
    for (const [term, count] of counts) {
      const id = this.termIds.get(term);
      if (id !== undefined) known.push({ id, weight: (1 + Math.log(count)) * (this.idf[id] ?? 0) });
    }
    known.sort((a, b) => a.id - b.id);
    const norm = Math.sqrt(known.reduce((sum, { weight }) => sum + weight * weight, 0));
    return {
      terms: Int32Array.from(known, ({ id }) => id),
      weights: Float64Array.from(known, ({ weight }) => weight / norm),
    };
  }
}

function invert(rows: readonly SparseRow[], termCount: number): readonly Postings[] {
  const lists: { readonly documents: number[]; readonly weights: number[] }[] = [];
  for (let term = 0; term < termCount; term += 1) lists.push({ documents: [], weights: [] });
  for (const [document, row] of rows.entries()) {
    for (let i = 0; i < row.terms.length; i += 1) {
      const list = lists[row.terms[i] as number];
      list?.documents.push(document);
      list?.weights.push(row.weights[i] as number);
    }
  }
  return lists.map((list) => ({
    documents: Int32Array.from(list.documents),
    weights: Float64Array.from(list.weights),
  }));
}
