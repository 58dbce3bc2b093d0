import { logLoss } from "../../../eval/stats/proper-scores.js";
import { scoreTable } from "../../../eval/stats/roc.js";
import { assert, near, test, testWithShared } from "../../support/test.js";
import { calibrationCases } from "./calibration-oracle.js";

test("one certain wrong answer costs much and not everything", () => {
  const { value } = logLoss(scoreTable([1, 1, 0.5], [1, 0, 1]));
  assert.ok((value ?? 0) > 11 && (value ?? 0) < 20);
});

test("certain right answers cost nothing", () => {
  assert.ok(Math.abs(logLoss(scoreTable([1, 0], [1, 0])).value ?? 1) < 1e-14);
});

testWithShared(test, "reference losses are met", () => {
  for (const { name, p, y, "nll_clip1e-15": expected } of calibrationCases())
    near(logLoss(scoreTable(p, y)).value, expected, 1e-12, name);
});
