import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scoreTable } from "../../../eval/stats/score-table.js";
import { calibrationErrorAt, smoothCalibrationError } from "../../../eval/stats/smooth-calibration-error.js";
import { near } from "../../support/oracle.js";
import { testWithShared } from "../../support/shared.js";
import { calibrationCases } from "./calibration-oracle.js";

const test = suite("eval/stats/smooth-calibration-error");

test("no rows have no error", () => {
  assert.is(smoothCalibrationError(scoreTable([], [])), null);
});

test("the error equals the bandwidth", () => {
  const table = scoreTable([0.9, 0.9, 0.4, 0.6, 0.2], [1, 0, 0, 1, 1]);
  const found = smoothCalibrationError(table);
  assert.ok(found !== null);
  near(found.value, found.bandwidth, 1e-6);
  near(calibrationErrorAt(table, found.bandwidth), found.value, 5e-3);
  assert.is(calibrationErrorAt(scoreTable([], []), 0.1), 0);
});

test("answers that agree with their probabilities have almost none, certain wrong ones a large one", () => {
  assert.ok((smoothCalibrationError(scoreTable([0.5, 0.5], [1, 0]))?.value ?? 1) < 1e-3);
  assert.ok((smoothCalibrationError(scoreTable([1, 1], [0, 0]))?.value ?? 0) > 0.5);
});

testWithShared(test, "reference errors by the direct definition are met to 1e-6", () => {
  for (const c of calibrationCases()) {
    const found = smoothCalibrationError(scoreTable(c.p, c.y));
    near(found?.value ?? null, c.smece_fixed_point_exact.value, 2e-3, c.name);
    assert.ok(Math.abs((found?.value ?? 0) - c.smece_fixed_point_exact.value) < 1e-6, c.name);
  }
});

test.run();
