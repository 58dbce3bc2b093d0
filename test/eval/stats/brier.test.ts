import { suite } from "uvu";
import * as assert from "uvu/assert";
import { brierScore } from "../../../eval/stats/proper-scores.js";
import { scoreTable } from "../../../eval/stats/roc.js";
import { near } from "../../support/oracle.js";
import { testWithShared } from "../../support/shared.js";
import { calibrationCases } from "./calibration-oracle.js";

const test = suite("eval/stats/brier");

test("certain and right is 0, certain and wrong is 1", () => {
  assert.is(brierScore(scoreTable([1, 0], [1, 0])).value, 0);
  assert.is(brierScore(scoreTable([1, 1], [0, 0])).value, 1);
});

testWithShared(test, "reference scores are met", () => {
  for (const { name, p, y, murphy10 } of calibrationCases())
    near(brierScore(scoreTable(p, y)).value, murphy10.brier, 1e-12, name);
});

test.run();
