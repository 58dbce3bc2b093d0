import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { binnedBrier, brierScore, corpBrier } from "../../../eval/stats/brier.js";
import { scoreTable } from "../../../eval/stats/score-table.js";
import { near } from "../../support/oracle.js";
import { testWithShared } from "../../support/shared.js";
import { calibrationCases } from "./calibration-oracle.js";

const test = suite("eval/stats/brier");

test("certain and right is 0, certain and wrong is 1, nothing is undefined", () => {
  assert.is(brierScore(scoreTable([1, 0], [1, 0])).value, 0);
  assert.is(brierScore(scoreTable([1, 1], [0, 0])).value, 1);
  const none = scoreTable([], []);
  assert.equal(brierScore(none), { value: null, n: 0, nullReason: "EMPTY_DENOMINATOR" });
  assert.is(binnedBrier(none), null);
  assert.is(corpBrier(none), null);
});

test("answers that are all right leave no uncertainty and no skill score", () => {
  const all = scoreTable([0.9, 0.8], [1, 1]);
  assert.is(binnedBrier(all)?.uncertainty, 0);
  assert.is(binnedBrier(all)?.skill, null);
});

test("both decompositions add up to the score on data with ties", () => {
  const row = fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 1 }));
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 80 }), (rows) => {
      const table = scoreTable(
        rows.map(([p]) => p / 20),
        rows.map(([, y]) => y),
      );
      const score = brierScore(table).value ?? Number.NaN;
      const m = binnedBrier(table);
      const c = corpBrier(table);
      assert.ok(m !== null && c !== null);
      const five = m.reliability - m.resolution + m.uncertainty + m.withinBinVariance - m.withinBinCovariance;
      near(five, score, 1e-12);
      near(c.miscalibration - c.discrimination + c.uncertainty, score, 1e-12);
      assert.ok(c.miscalibration >= -1e-12 && c.discrimination >= -1e-12);
    }),
    { seed: 3, numRuns: 200 },
  );
});

testWithShared(test, "reference scores and decompositions are met", () => {
  for (const c of calibrationCases()) {
    const table = scoreTable(c.p, c.y);
    const [binned, corp] = [binnedBrier(table), corpBrier(table)];
    assert.ok(binned !== null && corp !== null);
    for (const [found, expected] of [
      [brierScore(table).value, c.murphy10.brier],
      [binned.reliability, c.murphy10.reliability],
      [binned.resolution, c.murphy10.resolution],
      [binned.uncertainty, c.murphy10.uncertainty],
      [binned.withinBinVariance, c.murphy10.within_bin_variance],
      [binned.withinBinCovariance, c.murphy10.within_bin_covariance],
      [corp.miscalibration, c.corp_brier.mcb],
      [corp.discrimination, c.corp_brier.dsc],
      [corp.uncertainty, c.corp_brier.unc],
    ] as const) {
      near(found, expected, 1e-12, c.name);
    }
    if (c.murphy10.bss !== null) near(binned.skill, c.murphy10.bss, 1e-12, c.name);
  }
});

test.run();
