import {
  betaQuantile,
  betaUpperTail,
  binomialCdf,
  normalQuantile,
} from "../../../../src/base/numbers/distributions.js";
import { assert, near, oracle, test, testWithShared, throws } from "../../../support/test.js";

type SpecialCase =
  | { readonly fn: "normal_quantile"; readonly p: number; readonly value: number }
  | { readonly fn: "t_quantile" }
  | { readonly fn: "binom_cdf"; readonly k: number; readonly n: number; readonly prob: number; readonly value: number };

test("known values of each function", () => {
  near(betaQuantile(0.5, 2, 2), 0.5, 1e-14);
  near(betaUpperTail(0.3, 1, 1), 0.7, 1e-14);
  near(binomialCdf(1, 2, 0.5), 0.75, 1e-14);
  near(normalQuantile(0.975), 1.959963984540054, 1e-11);
});

test("fewer than zero events have probability zero", () => {
  assert.is(binomialCdf(-1, 10, 0.3), 0);
});

test("an argument outside the domain is refused instead of giving NaN", () => {
  throws(() => betaQuantile(0.5, 0, 1), "ARGUMENT_INVALID");
  throws(() => betaUpperTail(2, 1, 1), "ARGUMENT_INVALID");
  throws(() => binomialCdf(1, 10, 1.5), "ARGUMENT_INVALID");
  throws(() => normalQuantile(-1), "ARGUMENT_INVALID");
});

testWithShared(test, "the reference quantiles and tails are met", () => {
  const { cases } = oracle<{ cases: readonly SpecialCase[] }>("special.json");
  assert.is(cases.length, 89);
  for (const c of cases) {
    if (c.fn === "normal_quantile") near(normalQuantile(c.p), c.value, 1e-11, `normal ${c.p}`);
    if (c.fn === "binom_cdf") near(binomialCdf(c.k, c.n, c.prob), c.value, 1e-12, `binomial ${c.k} ${c.n}`);
  }
});
