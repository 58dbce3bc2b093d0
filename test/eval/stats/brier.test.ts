import { brierScore } from "../../../eval/stats/proper-scores.js";
import { scoreTable } from "../../../eval/stats/roc.js";
import { assert, near, test, testWithShared } from "../../support/test.js";
import { calibrationCases } from "./calibration-oracle.js";

test("certain and right is 0, certain and wrong is 1", () => {
  assert.is(brierScore(scoreTable([1, 0], [1, 0])).value, 0);
  assert.is(brierScore(scoreTable([1, 1], [0, 0])).value, 1);
});

testWithShared(test, "reference scores are met", () => {
  for (const { name, p, y, murphy10 } of calibrationCases())
    near(brierScore(scoreTable(p, y)).value, murphy10.brier, 1e-12, name);
});
