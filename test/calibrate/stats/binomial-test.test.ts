import { passes, pEff, pExact, roundUp12 } from "../../../calibrate/stats/binomial-test.js";
import { clopperPearsonUpper } from "../../../src/base/numbers/clopper-pearson.js";
import { assert, near, oracle, test, testWithShared } from "../../support/test.js";

interface LttOracle {
  readonly pvalues: readonly {
    readonly k: number;
    readonly n: number;
    readonly alpha: number;
    readonly binomial: number;
  }[];
}

test("without trials there is no evidence", () => {
  assert.is(pExact(0, 0, 0.05), 1);
  assert.is(pEff(0, 0, 0, 0.05), 1);
});

test("without errors the p-value is the chance of no error at the target", () => {
  near(pExact(0, 59, 0.05), 0.95 ** 59, 1e-12);
});

test("15 errors of 22 keep their count through a rate in JSON", () => {
  const rate = JSON.parse(JSON.stringify(15 / 22)) as number;
  const exact = pExact(15, 22, 0.7);
  near(pEff(15, 22, 22, 0.7), exact, 1e-12);
  near(pEff(rate * 22, 22, 22, 0.7), exact, 1e-12);
});

test("only errors never pass", () => {
  assert.is(pEff(7, 7, 3.5, 0.99), 1);
});

test("rounding goes up at 12 digits", () => {
  assert.is(roundUp12(0.0125), 0.0125);
  assert.is(roundUp12(0), 0);
  const rounded = roundUp12(0.01234567890123456);
  assert.ok(rounded >= 0.01234567890123456 && rounded < 0.01234567890123456 * (1 + 3e-11));
  assert.is(Number(rounded.toPrecision(12)), rounded);
});

test("a p-value passes at its limit, NaN never does", () => {
  assert.ok(passes(0.05, 0.05));
  assert.not(passes(0.0500000001, 0.05));
  assert.not(passes(Number.NaN, 0.05));
});

test("a p-value passes exactly when the upper limit is at most the target", () => {
  const d = 0.05;
  const alpha = 0.1;
  let passed = 0;
  for (let n = 1; n <= 120; n += 1) {
    for (let k = 0; k <= n; k += 1) {
      for (const effect of [1, 1.37, 2.9]) {
        const nEff = n / effect;
        const p = pEff(k, n, nEff, alpha);
        if (Math.abs(p - d) < 1e-11) continue;
        assert.is(p <= d, clopperPearsonUpper((k / n) * nEff, nEff, d) <= alpha, `${k} of ${n}, effect ${effect}`);
        if (p <= d) passed += 1;
      }
    }
  }
  assert.ok(passed > 100);
});

testWithShared(test, "reference p-values are met", () => {
  const { pvalues } = oracle<LttOracle>("ltt.json");
  for (const { k, n, alpha, binomial } of pvalues) {
    near(pExact(k, n, alpha), binomial, 1e-12);
    near(pEff(k, n, n, alpha), binomial, 1e-12);
  }
});
