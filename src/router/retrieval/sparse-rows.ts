/**
 * Rows of weighted terms in flat arrays: row r is at starts[r] up to (not including) starts[r + 1], in ascending order
 * of terms.
 */
export interface SparseRows {
  readonly starts: Int32Array;
  readonly terms: Int32Array;
  readonly weights: Float32Array;
}

/** One row: ascending terms and their weights. */
export interface SparseRow {
  readonly terms: Int32Array;
  readonly weights: Float32Array;
}

export const rowCount = ({ starts }: SparseRows): number => starts.length - 1;

export function rowAt({ starts, terms, weights }: SparseRows, row: number): SparseRow {
  const from = starts[row];
  const to = starts[row + 1];
  return { terms: terms.subarray(from, to), weights: weights.subarray(from, to) };
}

/** Allocates lists, in `SharedMemory` or in the memory of the calling thread. */
export interface Room {
  int32(length: number): Int32Array;
  float32(length: number): Float32Array;
}

const ownRoom: Room = { int32: (length) => new Int32Array(length), float32: (length) => new Float32Array(length) };

/** The same entries by term: the "terms" of the result are the rows that contain the term, in ascending order. */
export function transposed(rows: SparseRows, termCount: number, room = ownRoom): SparseRows {
  const starts = room.int32(termCount + 1);
  for (let i = 0; i < rows.terms.length; i += 1) starts[rows.terms[i] + 1] += 1;
  for (let term = 0; term < termCount; term += 1) {
    starts[term + 1] += starts[term];
  }
  const next = starts.slice();
  const terms = room.int32(rows.terms.length);
  const weights = room.float32(rows.terms.length);
  for (let row = 0; row < rowCount(rows); row += 1) {
    for (let i = rows.starts[row]; i < rows.starts[row + 1]; i += 1) {
      const term = rows.terms[i];
      const slot = next[term];
      terms[slot] = row;
      weights[slot] = rows.weights[i];
      next[term] = slot + 1;
    }
  }
  return { starts, terms, weights };
}

/** Adds `scale` times the inner product of `row` with every row in `postings` to `into`, shape (rows). */
export function addProducts(postings: SparseRows, row: SparseRow, scale: number, into: Float32Array): void {
  const { starts, terms, weights } = postings;
  for (let i = 0; i < row.terms.length; i += 1) {
    const term = row.terms[i];
    const weight = scale * row.weights[i];
    const end = starts[term + 1];
    for (let j = starts[term]; j < end; j += 1) {
      const other = terms[j];
      into[other] += weight * weights[j];
    }
  }
}

/** Writes the weights of a row at its terms, or clears them with scale 0. */
export function scatter(row: SparseRow, scale: number, into: Float32Array): void {
  for (let i = 0; i < row.terms.length; i += 1) into[row.terms[i]] = scale * row.weights[i];
}

/** Inner product of a row with a row written by `scatter`. */
export function gather({ starts, terms, weights }: SparseRows, row: number, from: Float32Array): number {
  let sum = 0;
  const end = starts[row + 1];
  for (let i = starts[row]; i < end; i += 1) sum += weights[i] * from[terms[i]];
  return sum;
}

/** Collects rows one after another. */
export class SparseRowsBuilder {
  private readonly starts: number[] = [0];
  private readonly terms: number[] = [];
  private readonly weights: number[] = [];

  /** @param terms in ascending order */
  add(terms: Int32Array, weights: Float32Array): void {
    for (let i = 0; i < terms.length; i += 1) {
      this.terms.push(terms[i]);
      this.weights.push(weights[i]);
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
