/** Rows of weighted terms, flat: those of row r lie at starts[r] to starts[r + 1], terms ascending. */
export interface SparseRows {
  readonly starts: Int32Array;
  readonly terms: Int32Array;
  readonly weights: Float32Array;
}

/** One row: terms ascending and their weights. */
export interface SparseRow {
  readonly terms: Int32Array;
  readonly weights: Float32Array;
}

export const rowCount = ({ starts }: SparseRows): number => starts.length - 1;

/** A view of one row. */
export function rowAt({ starts, terms, weights }: SparseRows, row: number): SparseRow {
  const from = starts[row] as number;
  const to = starts[row + 1] as number;
  return { terms: terms.subarray(from, to), weights: weights.subarray(from, to) };
}

/** The same entries by term: "terms" are then the rows that hold it, ascending. */
export function transposed(rows: SparseRows, termCount: number): SparseRows {
  const starts = new Int32Array(termCount + 1);
  for (const term of rows.terms) starts[term + 1] = (starts[term + 1] as number) + 1;
  for (let term = 0; term < termCount; term += 1) {
    starts[term + 1] = (starts[term + 1] as number) + (starts[term] as number);
  }
  const next = starts.slice();
  const terms = new Int32Array(rows.terms.length);
  const weights = new Float32Array(rows.terms.length);
  for (let row = 0; row < rowCount(rows); row += 1) {
    for (let i = rows.starts[row] as number; i < (rows.starts[row + 1] as number); i += 1) {
      const term = rows.terms[i] as number;
      const slot = next[term] as number;
      terms[slot] = row;
      weights[slot] = rows.weights[i] as number;
      next[term] = slot + 1;
    }
  }
  return { starts, terms, weights };
}

/** Adds `scale` times the inner product of `row` with every row behind `postings` to `into`, shape (rows). */
export function addProducts(postings: SparseRows, row: SparseRow, scale: number, into: Float32Array): void {
  const { starts, terms, weights } = postings;
  for (let i = 0; i < row.terms.length; i += 1) {
    const term = row.terms[i] as number;
    const weight = scale * (row.weights[i] as number);
    const end = starts[term + 1] as number;
    for (let j = starts[term] as number; j < end; j += 1) {
      const other = terms[j] as number;
      into[other] = (into[other] as number) + weight * (weights[j] as number);
    }
  }
}

/** Writes (or with 0 clears) the weights of a row at its terms. */
export function scatter(row: SparseRow, scale: number, into: Float32Array): void {
  for (let i = 0; i < row.terms.length; i += 1) into[row.terms[i] as number] = scale * (row.weights[i] as number);
}

/** Inner product of a row with a scattered one. */
export function gather({ starts, terms, weights }: SparseRows, row: number, from: Float32Array): number {
  let sum = 0;
  const end = starts[row + 1] as number;
  for (let i = starts[row] as number; i < end; i += 1)
    sum += (weights[i] as number) * (from[terms[i] as number] as number);
  return sum;
}

/** Collects rows one after another. */
export class SparseRowsBuilder {
  private readonly starts: number[] = [0];
  private readonly terms: number[] = [];
  private readonly weights: number[] = [];

  /** @param terms  ascending */
  add(terms: Int32Array, weights: Float32Array): void {
    for (let i = 0; i < terms.length; i += 1) {
      this.terms.push(terms[i] as number);
      this.weights.push(weights[i] as number);
    }
    this.starts.push(this.terms.length);
  }

  rows(): SparseRows {
    return {
      starts: Int32Array.from(this.starts),
      terms: Int32Array.from(this.terms),
      weights: Float32Array.from(this.weights),
    };
  }
}
