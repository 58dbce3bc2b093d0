import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PairCounts } from "../../../../workbench/fit/words/pair-counts.js";
import type { SparseMatrix } from "../../../../workbench/fit/linalg/sparse-matrix.js";
import { positivePmi } from "../../../../workbench/fit/words/positive-pmi.js";
import { symmetricEigen } from "../../../../workbench/fit/linalg/symmetric-eigen.js";
import { leadingFactors } from "../../../../workbench/fit/linalg/truncated-svd.js";
import { seededRandom } from "../../../../src/stats/seeded-random.js";

const test = suite("workbench/fit/linalg/truncated-svd");

const size = 60;
const rank = 3;

/** B B^T of a random matrix B, shape (size, rank). */
function lowRankMatrix(): Float64Array {
  const random = seededRandom(5);
  const factor = Array.from({ length: size * rank }, () => random.normal());
  return Float64Array.from({ length: size * size }, (_, at) => {
    const [row, column] = [Math.floor(at / size), at % size];
    let sum = 0;
    for (let k = 0; k < rank; k += 1) sum += (factor[row * rank + k] ?? 0) * (factor[column * rank + k] ?? 0);
    return sum;
  });
}

const sparse = (dense: Float64Array): SparseMatrix => ({
  size,
  starts: Int32Array.from({ length: size + 1 }, (_, row) => row * size),
  columns: Int32Array.from(dense.keys(), (at) => at % size),
  values: Float32Array.from(dense),
});

test("the leading factors of a matrix of low rank give it back", () => {
  const dense = lowRankMatrix();
  const factors = leadingFactors(sparse(dense), rank, seededRandom(1));
  for (const [at, value] of dense.entries()) {
    const [row, column] = [Math.floor(at / size), at % size];
    let product = 0;
    for (let k = 0; k < rank; k += 1) product += (factors[row * rank + k] ?? 0) * (factors[column * rank + k] ?? 0);
    assert.ok(Math.abs(product - value) < 1e-3, `entry ${row}, ${column}: ${product} against ${value}`);
  }
});

test("eigenvalues fall by absolute value, and each vector is turned into a multiple of itself", () => {
  const matrix = Float64Array.of(2, 1, 0, 1, -4, 2, 0, 2, 1);
  const { values, vectors } = symmetricEigen(matrix.slice(), 3);
  assert.ok(values.every((value, k) => k === 0 || Math.abs(value) <= Math.abs(values[k - 1] ?? 0)));
  assert.ok(Math.abs(values.reduce((sum, value) => sum + value, 0) - (2 - 4 + 1)) < 1e-12);
  for (const [k, value] of values.entries()) {
    for (let row = 0; row < 3; row += 1) {
      const turned = [0, 1, 2].reduce((sum, j) => sum + (matrix[row * 3 + j] ?? 0) * (vectors[j * 3 + k] ?? 0), 0);
      assert.ok(Math.abs(turned - value * (vectors[row * 3 + k] ?? 0)) < 1e-9);
    }
  }
});

test("weights of pairs add up whatever their order, even when the table grows", () => {
  const counts = new PairCounts(100, 4);
  for (let round = 0; round < 2; round += 1) {
    for (let a = 0; a < 20; a += 1) for (let b = 0; b < 20; b += 1) counts.add(a, b, 1);
  }
  const { first, second, weights } = counts.sorted();
  assert.is(counts.size, 210);
  for (const [i, weight] of weights.entries()) assert.is(weight, first[i] === second[i] ? 2 : 4);
});

test("mutual information is positive for pairs that meet more often than by chance, and symmetric", () => {
  const counts = new PairCounts(4);
  counts.add(0, 1, 8);
  counts.add(2, 3, 8);
  counts.add(0, 2, 1);
  const { starts, columns, values } = positivePmi(counts);
  const entries = new Map<string, number>();
  for (let row = 0; row < 4; row += 1) {
    for (let i = starts[row] ?? 0; i < (starts[row + 1] ?? 0); i += 1)
      entries.set(`${row} ${columns[i]}`, values[i] ?? 0);
  }
  assert.equal([...entries.keys()].sort(), ["0 1", "1 0", "2 3", "3 2"]);
  assert.is(entries.get("0 1"), Math.fround(Math.log((8 * 34) / (9 * 8))));
});

test.run();
