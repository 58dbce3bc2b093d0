import { suite } from "uvu";
import * as assert from "uvu/assert";
import { logLoss } from "../../../eval/stats/log-loss.js";
import { scoreTable } from "../../../eval/stats/score-table.js";
import { near } from "../../support/oracle.js";
import { testWithShared } from "../../support/shared.js";
import { calibrationCases } from "./calibration-oracle.js";

const test = suite("eval/stats/log-loss");

test("a coin costs ln 2", () => {
  near(logLoss(scoreTable([0.5, 0.5], [1, 0])).clipped.value, Math.LN2, 1e-12);
});

test("one certain wrong answer is infinite without the clip, and counted with it", () => {
  const found = logLoss(scoreTable([1, 1, 0.5], [1, 0, 1]));
  assert.equal(found.exact, { value: null, n: 3, nullReason: "INFINITE" });
  assert.is(found.clippedRows, 2);
  assert.ok((found.clipped.value ?? 0) > 11);
});

test("certain right answers cost nothing, and no rows leave it undefined", () => {
  assert.is(logLoss(scoreTable([1, 0], [1, 0])).exact.value, 0);
  assert.is(logLoss(scoreTable([], [])).clipped.nullReason, "EMPTY_DENOMINATOR");
});

testWithShared(test, "reference losses are met", () => {
  for (const c of calibrationCases())
    near(logLoss(scoreTable(c.p, c.y)).clipped.value, c["nll_clip1e-15"], 1e-12, c.name);
});

test.run();
