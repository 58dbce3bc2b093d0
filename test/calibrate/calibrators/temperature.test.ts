import { logistic } from "../../../src/router/policy/calibrator-curve.js";
import { fitTemperature } from "../../../calibrate/calibrators/temperature.js";
import { assert, near, oracle, test, testWithShared } from "../../support/test.js";
import { oracleRows } from "./oracle-rows.js";

interface CalibratorsOracle {
  readonly data: { readonly z: readonly number[]; readonly y: readonly number[]; readonly z_test: readonly number[] };
  readonly result: {
    readonly temperature: { readonly inv_temperature: number; readonly predict: readonly number[] };
  };
}

test("three right of four at logit 1 and one of four at logit -1 have slope ln 3", () => {
  const fit = fitTemperature(oracleRows([1, 1, 1, 1, -1, -1, -1, -1], [1, 1, 1, 0, 1, 0, 0, 0]));
  assert.ok(fit.fitted);
  near(fit.slope, Math.log(3), 1e-10);
  assert.is(fit.intercept, 0);
});

test("weights count like repeated rows", () => {
  const repeated = fitTemperature(oracleRows([1, 1, 1, 2, -1], [1, 1, 0, 1, 0]));
  const weighted = fitTemperature(
    oracleRows([1, 1, 2, -1], [1, 0, 1, 0]).map((row, i) => (i === 0 ? { ...row, weight: 2 } : row)),
  );
  assert.ok(repeated.fitted && weighted.fitted);
  near(weighted.slope, repeated.slope, 1e-10);
});

test("separable rows have no finite temperature", () => {
  assert.is(fitTemperature(oracleRows([-2, -1, 1, 2], [0, 0, 1, 1])).fitted, false);
});

test("scores that do not rise with being right are refused", () => {
  assert.is(fitTemperature(oracleRows([1, 1, -1, -1], [0, 0, 1, 1])).fitted, false);
  assert.is(fitTemperature([]).fitted, false);
});

testWithShared(test, "the reference temperature and its predictions are met", () => {
  const { data, result } = oracle<CalibratorsOracle>("calibrators.json");
  const fit = fitTemperature(oracleRows(data.z, data.y));
  assert.ok(fit.fitted);
  near(fit.slope, result.temperature.inv_temperature, 1e-8);
  for (const [i, z] of data.z_test.entries()) {
    near(logistic(fit.slope * z), result.temperature.predict[i] ?? Number.NaN, 1e-6);
  }
});
