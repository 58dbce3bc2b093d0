import { clopperPearson } from "../../../src/base/numbers/clopper-pearson.js";
import { rateOf } from "../../support/rate-of.js";
import { assert, test } from "../../support/test.js";

const trialsOf = (clusters: readonly (readonly boolean[])[]) =>
  clusters.flatMap((events, index) => events.map((event) => ({ cluster: `w${index}`, event })));

test("no trials give nulls and a reason, never zero", () => {
  const rate = rateOf([]);
  assert.is(rate.estimate, null);
  assert.is(rate.lower, null);
  assert.is(rate.upper, null);
  assert.is(rate.null_reason, "EMPTY_DENOMINATOR");
  assert.is(rate.n, 0);
});

test("independent trials get the exact interval", () => {
  const rate = rateOf(trialsOf([[true], [false], [false], [false], [false]]));
  assert.is(rate.estimate, 0.2);
  assert.is(rate.clusters, 5);
  assert.is(rate.effective_n, 5);
  assert.is(rate.method, "clopper-pearson");
  assert.equal({ lower: rate.lower, upper: rate.upper }, clopperPearson(1, 5, 0.95));
});

test("no events keep the exact interval of the trials", () => {
  const rate = rateOf(trialsOf([[false, false], [false], [false, false]]));
  assert.is(rate.method, "clopper-pearson");
  assert.equal({ lower: rate.lower, upper: rate.upper }, clopperPearson(0, 5, 0.95));
});

test("trials that agree inside their workflow widen the interval", () => {
  const rate = rateOf(
    trialsOf([
      [true, true, true, true],
      [false, false, false, false],
      [false, false, false, false],
    ]),
  );
  const naive = clopperPearson(4, 12, 0.95);
  assert.is(rate.method, "cp-neff");
  assert.ok((rate.effective_n ?? 12) < 12);
  assert.ok((rate.lower ?? 1) < naive.lower);
  assert.ok((rate.upper ?? 0) > naive.upper);
});

test("a correlation known from elsewhere widens a rate without events", () => {
  const trials = trialsOf([
    [false, false, false, false],
    [false, false, false, false],
  ]);
  const rate = rateOf(trials, { icc: 0.5 });
  assert.is(rate.method, "cp-neff");
  assert.is(rate.effective_n, 8 / 2.5);
});

test("one workflow alone gets the plain interval and no correlation", () => {
  const rate = rateOf(trialsOf([[true, false, false]]));
  assert.is(rate.icc, null);
  assert.is(rate.design_effect, null);
  assert.is(rate.method, "clopper-pearson");
});

test("the confidence of the interval can be chosen", () => {
  const trials = trialsOf([[true, false, false]]);
  assert.ok((rateOf(trials, { confidence: 0.8 }).upper ?? 1) < (rateOf(trials).upper ?? 0));
});
