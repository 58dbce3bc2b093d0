import { prevalenceAdjustedRisk } from "../../../eval/stats/prevalence-adjusted.js";
import { rateOfCounts } from "../../../eval/stats/rate.js";
import { assert, near, test } from "../../support/test.js";

const rate = (events: number, trials: number) =>
  rateOfCounts(Array.from({ length: trials }, (_, i) => ({ trials: 1, events: i < events ? 1 : 0 })));
const shares = (out: [number, number], wrong: [number, number], routed: [number, number]) => ({
  outOfScopeRouted: rate(...out),
  inScopeWrong: rate(...wrong),
  inScopeRouted: rate(...routed),
});

const usual = shares([20, 100], [5, 200], [160, 200]);

test("the observed share gives the observed selective risk", () => {
  near(prevalenceAdjustedRisk(usual, 1 / 3).value, (20 + 5) / (20 + 160), 1e-12);
});

test("the rate and its limit rise with the share of out-of-scope requests", () => {
  const found = [0, 0.01, 0.1, 0.5, 1].map((pi) => prevalenceAdjustedRisk(usual, pi));
  near(found[0]?.value ?? null, 5 / 160, 1e-12);
  assert.is(found.at(-1)?.value, 1);
  for (const [i, { value, upper }] of found.entries()) {
    assert.ok(value !== null && upper !== null && upper >= value);
    if (i > 0) assert.ok(value > (found[i - 1]?.value ?? 1));
  }
});

test("nothing routed, or no requests of a kind that is needed, leave it undefined", () => {
  const undefinedRisk = { value: null, upper: null };
  assert.equal(prevalenceAdjustedRisk(shares([0, 50], [0, 50], [0, 50]), 0.1), undefinedRisk);
  const noOutOfScope = shares([0, 0], [5, 200], [160, 200]);
  assert.equal(prevalenceAdjustedRisk(noOutOfScope, 0.1), undefinedRisk);
  near(prevalenceAdjustedRisk(noOutOfScope, 0).value, 5 / 160, 1e-12);
});
