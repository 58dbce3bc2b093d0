import type { SeededRandom } from "../../../src/stats/seeded-random.js";
import { choleskyInPlace } from "../../../src/linalg/cholesky.js";
import type { SparseMatrix } from "./sparse-matrix.js";
import { symmetricEigen } from "./symmetric-eigen.js";

/** Directions beyond the wanted ones, which speed up convergence. */
const oversampling = 24;
const iterations = 2;

/**
 * The leading part U |S|^(1/2) of a symmetric matrix, by randomised subspace iteration (Halko, Martinsson and Tropp,
 * SIAM Review 53, 2011, algorithm 4.4 and the Rayleigh-Ritz step).
 * @returns shape (size, dimensions), row-major
 */
export function leadingFactors(matrix: SparseMatrix, dimensions: number, random: SeededRandom): Float32Array {
  const { size } = matrix;
  const wide = Math.min(size, dimensions + oversampling);
  let basis: Float32Array = Float32Array.from({ length: size * wide }, () => random.normal());
  for (let round = 0; round < iterations; round += 1) basis = orthonormal(multiply(matrix, basis, wide), wide);
  const image = multiply(matrix, basis, wide);
  const { values, vectors } = symmetricEigen(mirrored(symmetricProduct(basis, image, wide), wide), wide);
  const factors = new Float32Array(size * dimensions);
  const kept = Math.min(dimensions, wide);
  for (let row = 0; row < size; row += 1) {
    for (let k = 0; k < kept; k += 1) {
      let sum = 0;
      for (let j = 0; j < wide; j += 1) sum += basis[row * wide + j] * vectors[j * wide + k];
      factors[row * dimensions + k] = sum * Math.sqrt(Math.abs(values[k]));
    }
  }
  return factors;
}

/** matrix x dense, shape (size, width). */
function multiply(matrix: SparseMatrix, dense: Float32Array, width: number): Float32Array {
  const product = new Float32Array(matrix.size * width);
  const sums = new Float64Array(width);
  for (let row = 0; row < matrix.size; row += 1) {
    sums.fill(0);
    const end = matrix.starts[row + 1];
    for (let i = matrix.starts[row]; i < end; i += 1) {
      const value = matrix.values[i];
      const from = matrix.columns[i] * width;
      for (let k = 0; k < width; k += 1) sums[k] += value * dense[from + k];
    }
    product.set(sums, row * width);
  }
  return product;
}

/**
 * Lower triangle of left^T x right, shape (width, width), which is symmetric; the rest is zero. Four rows are taken at
 * once, so that each sum is read and written a quarter as often.
 */
function symmetricProduct(left: Float32Array, right: Float32Array, width: number): Float64Array {
  const product = new Float64Array(width * width);
  const padded = (matrix: Float32Array, from: number): Float32Array => {
    const block = new Float32Array(4 * width);
    block.set(matrix.subarray(from, from + 4 * width));
    return block;
  };
  for (let from = 0; from < left.length; from += 4 * width) {
    const [l, r] = [padded(left, from), padded(right, from)];
    for (let i = 0; i < width; i += 1) {
      const a = l[i];
      const b = l[i + width];
      const c = l[i + 2 * width];
      const d = l[i + 3 * width];
      for (let j = 0, to = i * width; j <= i; j += 1) {
        product[to + j] = product[to + j] + a * r[j] + b * r[j + width] + c * r[j + 2 * width] + d * r[j + 3 * width];
      }
    }
  }
  return product;
}

function mirrored(lower: Float64Array, n: number): Float64Array {
  for (let i = 0; i < n; i += 1) for (let j = 0; j < i; j += 1) lower[j * n + i] = lower[i * n + j];
  return lower;
}

/** An orthonormal basis of the columns: rows times the inverse transpose of the Cholesky factor of their Gram matrix. */
function orthonormal(columns: Float32Array, width: number): Float32Array {
  const factor = symmetricProduct(columns, columns, width);
  const trace = factor.reduce((sum, value, i) => sum + (i % (width + 1) === 0 ? value : 0), 0);
  for (let i = 0; i < width; i += 1) {
    factor[i * width + i] += 1e-13 * trace;
  }
  choleskyInPlace(factor, width);
  const basis = new Float32Array(columns.length);
  const solved = new Float64Array(width);
  for (let from = 0; from < columns.length; from += width) {
    for (let i = 0; i < width; i += 1) {
      let sum = columns[from + i];
      for (let k = 0, at = i * width; k < i; k += 1) sum -= factor[at + k] * solved[k];
      solved[i] = sum / factor[i * width + i];
    }
    basis.set(solved, from);
  }
  return basis;
}
