import { passes, pExact, minimumSampleSize } from "../../../calibrate/stats/binomial-test.js";
import { assert, oracle, test, testWithShared, throws } from "../../support/test.js";

const known = [
  { alpha: 0.05, d: 0.05, errors: 0, n: 59 },
  { alpha: 0.05, d: 0.05, errors: 3, n: 153 },
  { alpha: 0.01, d: 0.0125, errors: 3, n: 971 },
  { alpha: 0.1, d: 0.0125, errors: 10, n: 193 },
];
for (const { alpha, d, errors, n } of known) {
  test(`${errors} errors at ${alpha} and ${d} need ${n} trials, and one fewer fails`, () => {
    assert.is(minimumSampleSize(alpha, d, errors), n);
    assert.ok(passes(pExact(errors, n, alpha), d));
    assert.not(passes(pExact(errors, n - 1, alpha), d));
  });
}

test("a target outside (0, 1) is refused", () => {
  throws(() => minimumSampleSize(0, 0.05, 0), "ARGUMENT_INVALID");
  throws(() => minimumSampleSize(0.05, 1, 0), "ARGUMENT_INVALID");
});

testWithShared(test, "288 reference sizes are exact", () => {
  const { cases } = oracle<{
    cases: readonly { alpha: number; delta: number; errors: number; min_n: number }[];
  }>("min_sample_size.json");
  assert.is(cases.length, 288);
  for (const c of cases) assert.is(minimumSampleSize(c.alpha, c.delta, c.errors), c.min_n, JSON.stringify(c));
});
