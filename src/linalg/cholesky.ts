import { SluiceError } from "../errors/error.js";

/**
 * Cholesky factor of a symmetric positive definite matrix, in place of its lower triangle. Each entry subtracts its products
 * in one order, so that a factor does not depend on how many rows are computed side by side.
 * @param matrix  shape (n, n), row-major; overwritten. Cost n^3 / 3.
 * @throws {SluiceError} FIT_FAILED when the matrix is not positive definite
 */
export function choleskyInPlace(matrix: Float64Array, n: number): void {
  for (let first = 0; first < n; first += 4) {
    const end = Math.min(n, first + 4);
    const ready = end - first === 4 ? first : 0;
    if (ready > 0) fourRows(matrix, n, first);
    for (let i = first; i < end; i += 1) rowFrom(ready, matrix, n, i);
  }
}

/** Entries of four rows in the columns before the first of them: four sums at once, none of which waits for another. */
function fourRows(matrix: Float64Array, n: number, first: number): void {
  const [a, b, c, d] = [first * n, (first + 1) * n, (first + 2) * n, (first + 3) * n];
  for (let j = 0; j < first; j += 1) {
    const row = j * n;
    let [sumA, sumB, sumC, sumD] = [matrix[a + j], matrix[b + j], matrix[c + j], matrix[d + j]];
    for (let k = 0; k < j; k += 1) {
      const value = matrix[row + k];
      sumA -= matrix[a + k] * value;
      sumB -= matrix[b + k] * value;
      sumC -= matrix[c + k] * value;
      sumD -= matrix[d + k] * value;
    }
    const diagonal = matrix[row + j];
    matrix[a + j] = sumA / diagonal;
    matrix[b + j] = sumB / diagonal;
    matrix[c + j] = sumC / diagonal;
    matrix[d + j] = sumD / diagonal;
  }
}

/** Entries of row i from a column to the diagonal. */
function rowFrom(column: number, matrix: Float64Array, n: number, i: number): void {
  for (let j = column; j <= i; j += 1) {
    let sum = matrix[i * n + j];
    for (let k = 0, a = i * n, b = j * n; k < j; k += 1) {
      sum -= matrix[a + k] * matrix[b + k];
    }
    if (i !== j) {
      matrix[i * n + j] = sum / matrix[j * n + j];
      continue;
    }
    if (!(sum > 0)) throw new SluiceError("FIT_FAILED", `matrix: not positive definite at row ${i} of ${n}`);
    matrix[i * n + i] = Math.sqrt(sum);
  }
}

/**
 * Solves L L^T X = B for several right-hand sides.
 * @param factor  Cholesky factor, shape (n, n), row-major, lower triangle
 * @param right   shape (n, m), row-major; overwritten with X
 */
export function solveInPlace(factor: Float64Array, n: number, right: Float64Array, m: number): void {
  const subtract = (target: number, source: number, scale: number): void => {
    for (let c = 0, t = target * m, s = source * m; c < m; c += 1) {
      right[t + c] -= scale * right[s + c];
    }
  };
  const divide = (row: number): void => {
    const diagonal = factor[row * n + row];
    for (let c = row * m; c < (row + 1) * m; c += 1) right[c] /= diagonal;
  };
  for (let i = 0; i < n; i += 1) {
    for (let k = 0; k < i; k += 1) subtract(i, k, factor[i * n + k]);
    divide(i);
  }
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let k = i + 1; k < n; k += 1) subtract(i, k, factor[k * n + i]);
    divide(i);
  }
}
