import type { SparseMatrix } from "../linalg/sparse-matrix.js";
import type { PairCounts } from "./pair-counts.js";

/**
 * Positive pointwise mutual information, max(0, ln(n(a, b) n / (n(a) n(b)))), as a symmetric matrix.
 */
export function positivePmi(counts: PairCounts): SparseMatrix {
  const { first, second, weights } = counts.sorted();
  const size = counts.rows;
  const margins = new Float64Array(size);
  const addTo = (row: number, weight: number): void => {
    margins[row] += weight;
  };
  for (const [i, weight] of weights.entries()) {
    addTo(first[i], weight);
    addTo(second[i], weight);
  }
  const total = margins.reduce((sum, margin) => sum + margin, 0);
  const positive = weights.map((weight, i) => {
    const [a, b] = [first[i], second[i]];
    const both = a === b ? 2 * weight : weight;
    return Math.max(0, Math.log((both * total) / (margins[a] * margins[b])));
  });
  return symmetric(size, first, second, positive);
}

function symmetric(size: number, first: Int32Array, second: Int32Array, values: Float64Array): SparseMatrix {
  const starts = new Int32Array(size + 1);
  const each = (visit: (row: number, column: number, value: number) => void): void => {
    for (const [i, value] of values.entries()) {
      if (value === 0) continue;
      const [a, b] = [first[i], second[i]];
      visit(a, b, value);
      if (a !== b) visit(b, a, value);
    }
  };
  each((row) => {
    starts[row + 1] += 1;
  });
  for (let row = 0; row < size; row += 1) starts[row + 1] += starts[row];
  const next = starts.slice();
  const columns = new Int32Array(starts[size]);
  const sparse = new Float32Array(columns.length);
  each((row, column, value) => {
    const slot = next[row];
    columns[slot] = column;
    sparse[slot] = value;
    next[row] = slot + 1;
  });
  return { size, starts, columns, values: sparse };
}
