import { SluiceError } from "../errors/error.js";

/**
 * Cholesky factor of a symmetric positive definite matrix, in place of its lower triangle.
 * @param matrix  shape (n, n), row-major; overwritten. Cost n^3 / 3.
 * @throws {SluiceError} FIT_FAILED when the matrix is not positive definite
 */
export function choleskyInPlace(matrix: Float64Array, n: number): void {
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) {
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
