import { logistic } from "../../../src/router/policy/calibrator-curve.js";
import { fitPlatt } from "../../../calibrate/calibrators/platt.js";
import { assert, near, oracle, test, testWithShared } from "../../support/test.js";
import { oracleRows } from "./oracle-rows.js";

interface PlattOracle {
  readonly data: { readonly z: readonly number[]; readonly y: readonly number[]; readonly z_test: readonly number[] };
  readonly result: {
    readonly platt: { readonly slope: number; readonly intercept: number; readonly predict: readonly number[] };
  };
}
interface DegenerateOracle {
  readonly separable: {
    readonly z: readonly number[];
    readonly y: readonly number[];
    readonly platt_slope: number;
    readonly platt_intercept: number;
  };
}

const rows = () => oracleRows([-2, -1, -0.5, 0.5, 1, 2, 2.5], [0, 0, 1, 0, 1, 1, 1]);

test("one class only gives slope 0 and the soft target", () => {
  const fit = fitPlatt(oracleRows([-1, 0, 1], [1, 1, 1]));
  assert.ok(fit.fitted);
  assert.is(fit.slope, 0);
  near(fit.intercept, Math.log(4), 1e-12);
});

test("one score only gives slope 0", () => {
  const fit = fitPlatt(oracleRows([1, 1, 1, 1], [1, 1, 0, 1]));
  assert.ok(fit.fitted);
  assert.is(fit.slope, 0);
  assert.ok(fit.intercept > 0);
});

test("a score that falls with being right is refused", () => {
  assert.is(fitPlatt(oracleRows([2, 1, -1, -2], [0, 0, 1, 1])).fitted, false);
});

test("swapping the labels and negating the scores preserves the slope and negates the intercept", () => {
  const fit = fitPlatt(rows());
  const mirrored = fitPlatt(rows().map((r) => ({ ...r, logit: -r.logit, right: !r.right })));
  assert.ok(fit.fitted && mirrored.fitted);
  near(mirrored.slope, fit.slope, 1e-9);
  near(mirrored.intercept, -fit.intercept, 1e-9);
});

test("scaling and shifting the scores scales and shifts the line back", () => {
  const fit = fitPlatt(rows());
  const moved = fitPlatt(rows().map((r) => ({ ...r, logit: 10 * r.logit + 3 })));
  assert.ok(fit.fitted && moved.fitted);
  near(moved.slope * 10, fit.slope, 1e-9);
  near(moved.intercept + moved.slope * 3, fit.intercept, 1e-9);
});

testWithShared(test, "the reference line and its predictions are met", () => {
  const { data, result } = oracle<PlattOracle>("calibrators.json");
  const fit = fitPlatt(oracleRows(data.z, data.y));
  assert.ok(fit.fitted);
  near(fit.slope, result.platt.slope, 1e-8);
  near(fit.intercept, result.platt.intercept, 1e-8);
  for (const [i, z] of data.z_test.entries()) {
    near(logistic(fit.slope * z + fit.intercept), result.platt.predict[i] ?? Number.NaN, 1e-6);
  }
});

testWithShared(test, "separable reference rows have a finite line", () => {
  const { separable } = oracle<DegenerateOracle>("calibrators_degenerate.json");
  const fit = fitPlatt(oracleRows(separable.z, separable.y));
  assert.ok(fit.fitted);
  near(fit.slope, separable.platt_slope, 1e-8);
  near(fit.intercept, separable.platt_intercept, 1e-8);
});
