import { pExact } from "../../../calibrate/stats/binomial-test.js";
import { binomialCdf } from "../../../src/base/numbers/distributions.js";
import { weightedErrorPValue, weightedErrorShare } from "../../../calibrate/stats/weighted-error-test.js";
import { assert, test } from "../../support/test.js";

const mass = (k: number, n: number, p: number): number =>
  binomialCdf(k, n, p) - (k === 0 ? 0 : binomialCdf(k - 1, n, p));

test("out-of-scope requests count as many times as they stand for", () => {
  assert.is(weightedErrorShare(0.25, 0, 1), 0.25);
  assert.is(weightedErrorShare(0.25, 0.5, 3), (0.75 + 0.375) / (0.75 + 0.75));
});

test("at shares with exactly the target the test passes with at most its level, for every pair that is tried", () => {
  const [routed, factor, target, level] = [40, 3, 0.3, 0.05];
  const passing: (readonly [number, number])[] = [];
  for (let outOfScope = 0; outOfScope < 12; outOfScope += 1) {
    for (let inScopeWrong = 0; inScopeWrong < 12; inScopeWrong += 1) {
      const p = weightedErrorPValue({ routed, outOfScope, inScopeWrong, factor }, target);
      if (p <= level) passing.push([outOfScope, inScopeWrong]);
    }
  }
  const chances = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3].map((wrong) => {
    const outside = (target - wrong) / (factor * (1 - target) + target - wrong);
    assert.ok(Math.abs(weightedErrorShare(outside, wrong, factor) - target) < 1e-12);
    return passing.reduce((sum, [o, w]) => sum + mass(o, routed, outside) * mass(w, routed - o, wrong), 0);
  });
  assert.ok(Math.max(...chances) <= level, `passes with ${Math.max(...chances)}`);
  assert.ok(Math.max(...chances) > 0.01, "passes almost never");
});

test("more errors never give a smaller p-value", () => {
  const p = (outOfScope: number, inScopeWrong: number) =>
    weightedErrorPValue({ routed: 1660, outOfScope, inScopeWrong, factor: 3.3 }, 0.05);
  assert.ok(p(3, 40) < p(3, 50));
  assert.ok(p(3, 40) < p(5, 40));
  assert.ok(p(3, 40) <= 0.05);
  assert.ok(p(4, 81) > 0.05);
});

test("without a weight only the in-scope requests are tested", () => {
  const counts = { routed: 120, outOfScope: 20, inScopeWrong: 1, factor: 0 };
  assert.is(weightedErrorPValue(counts, 0.05), pExact(1, 100, 0.05));
});

test("nothing routed in scope, or an observed share at the target, is no evidence", () => {
  assert.is(weightedErrorPValue({ routed: 0, outOfScope: 0, inScopeWrong: 0, factor: 2 }, 0.05), 1);
  assert.is(weightedErrorPValue({ routed: 5, outOfScope: 5, inScopeWrong: 0, factor: 2 }, 0.05), 1);
  assert.is(weightedErrorPValue({ routed: 100, outOfScope: 0, inScopeWrong: 5, factor: 2 }, 0.05), 1);
});
