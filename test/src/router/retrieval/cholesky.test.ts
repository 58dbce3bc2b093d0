import fc from "fast-check";
import { choleskyInPlace, solveInPlace } from "../../../../src/router/retrieval/cholesky.js";
import { assert, test, throws } from "../../../support/test.js";

type Row = readonly number[];

/** Gauss-Jordan elimination, the plain way, for positive definite A (no pivoting needed). Solves A x = b. */
function directSolve(a: readonly Row[], b: Row): Row {
  let rows = a.map((row, i) => [...row, b[i] ?? 0]);
  for (const column of a.keys()) {
    const pivot = rows[column] ?? [];
    const scaled = pivot.map((value) => value / (pivot[column] ?? Number.NaN));
    rows = rows.map((row, i) =>
      i === column ? scaled : row.map((value, j) => value - (row[column] ?? 0) * (scaled[j] ?? 0)),
    );
  }
  return rows.map((row) => row.at(-1) ?? Number.NaN);
}

test("the factor of a known matrix", () => {
  const matrix = Float64Array.of(4, 12, -16, 12, 37, -43, -16, -43, 98);
  choleskyInPlace(matrix, 3);
  assert.equal([matrix[0], matrix[3], matrix[4], matrix[6], matrix[7], matrix[8]], [2, 6, 1, -8, 5, 3]);
});

test("a matrix that is not positive definite is refused with its row", () => {
  const error = throws(() => choleskyInPlace(Float64Array.of(1, 2, 2, 1), 2), "FIT_FAILED");
  assert.match(error.message, /row 1 of 2/);
  throws(() => choleskyInPlace(Float64Array.of(Number.NaN), 1), "FIT_FAILED");
});

test("solutions equal those of elimination, for every remainder of four rows", () => {
  const entry = fc.integer({ min: -9, max: 9 });
  const system = fc.integer({ min: 1, max: 14 }).chain((n) => {
    const row = fc.array(entry, { minLength: n, maxLength: n });
    return fc.tuple(fc.array(row, { minLength: n, maxLength: n }), row);
  });
  fc.assert(
    fc.property(system, ([root, right]) => {
      const n = root.length;
      const a = root.map((row, i) =>
        root.map((other, j) => row.reduce((sum, value, k) => sum + value * (other[k] ?? 0), i === j ? 1 : 0)),
      );
      const factor = Float64Array.from(a.flat());
      const solution = Float64Array.from(right);
      choleskyInPlace(factor, n);
      solveInPlace(factor, n, solution);
      for (const [i, expected] of directSolve(a, right).entries()) {
        assert.ok(Math.abs((solution[i] ?? Number.NaN) - expected) < 1e-6 * Math.max(1, Math.abs(expected)));
      }
    }),
  );
});
