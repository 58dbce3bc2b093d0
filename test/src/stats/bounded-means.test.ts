/** Tests and limits of the mean of bounded values, and the search that they are compared with. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bettingPValue, bettingUpper } from "../../../src/stats/betting-test.js";
import { pExact } from "../../../src/stats/binomial-test.js";
import { hoeffdingBentkus } from "../../../src/stats/hoeffding-bentkus.js";
import { seededRandom } from "../../../src/stats/seeded-random.js";
import { selectionWithGuaranteedRisk } from "../../../src/stats/selection-with-guaranteed-risk.js";
import { near, oracle } from "../../support/oracle.js";
import { testWithShared } from "../../support/shared.js";

interface Betting {
  readonly cases: readonly {
    readonly name: string;
    readonly x: readonly number[];
    readonly mu0: number;
    readonly delta: number;
    readonly p: number;
  }[];
}
interface Ltt {
  readonly pvalues: readonly {
    readonly k: number;
    readonly n: number;
    readonly alpha: number;
    readonly binomial: number;
    readonly hoeffding_bentkus: number;
  }[];
  readonly selective: {
    readonly confidence: readonly number[];
    readonly error: readonly number[];
    readonly alpha: number;
    readonly delta: number;
    readonly sgr: {
      readonly best: number | null;
      readonly trace: readonly {
        readonly theta: number;
        readonly n: number;
        readonly k: number;
        readonly bound: number;
      }[];
    };
  };
}
interface Selective900 {
  readonly confidence: readonly number[];
  readonly error: readonly number[];
  readonly alpha: number;
  readonly delta: number;
  readonly result: { readonly sgr: { readonly theta: number; readonly bound: number; readonly coverage: number } };
}

const test = suite("src/stats/bounded-means");

testWithShared(test, "betting p-values are those of the reference", () => {
  for (const { name, x, mu0, delta, p } of oracle<Betting>("betting.json").cases) {
    near(bettingPValue(x, mu0, delta), p, 1e-12, name);
  }
});

testWithShared(test, "exact and Hoeffding-Bentkus p-values of counts are those of the reference", () => {
  for (const { k, n, alpha, ...expected } of oracle<Ltt>("ltt.json").pvalues) {
    near(pExact(k, n, alpha), expected.binomial, 1e-12);
    near(hoeffdingBentkus(n === 0 ? 0 : k / n, n, alpha), expected.hoeffding_bentkus, 1e-12);
  }
});

const outcomesOf = (data: { readonly confidence: readonly number[]; readonly error: readonly number[] }) =>
  data.confidence.map((score, i) => ({ score, error: data.error[i] === 1 }));

testWithShared(test, "selection with guaranteed risk visits the thresholds of the reference", () => {
  const { selective } = oracle<Ltt>("ltt.json");
  const { best, trace } = selectionWithGuaranteedRisk(outcomesOf(selective), selective.alpha, selective.delta);
  assert.is(best, selective.sgr.best);
  assert.is(trace.length, selective.sgr.trace.length);
  for (const [i, step] of selective.sgr.trace.entries()) {
    assert.equal([trace[i]?.threshold, trace[i]?.accepted, trace[i]?.errors], [step.theta, step.n, step.k]);
    near(trace[i]?.bound ?? null, step.bound, 1e-12);
  }
  const large = oracle<Selective900>("selective_900.json");
  const found = selectionWithGuaranteedRisk(outcomesOf(large), large.alpha, large.delta).best;
  assert.is(found?.threshold, large.result.sgr.theta);
  near(found?.bound ?? null, large.result.sgr.bound, 1e-12);
  near((found?.accepted ?? 0) / large.confidence.length, large.result.sgr.coverage, 1e-12);
});

test("116 workflows without an error exclude 5 % at the usual cap, 66 at a cap of 0.9", () => {
  const p = (workflows: number, cap?: number) => bettingPValue(new Float64Array(workflows), 0.05, 0.05, cap);
  assert.ok(p(116) <= 0.05 && p(115) > 0.05);
  assert.ok(p(66, 0.9) <= 0.05 && p(65, 0.9) > 0.05);
});

test("the betting limit is where the test turns, and 1 without values", () => {
  const random = seededRandom(3);
  const values = Array.from({ length: 200 }, () => (random.uniform() < 0.05 ? random.uniform() : 0));
  const upper = bettingUpper(values, 0.05);
  assert.ok(bettingPValue(values, upper, 0.05) <= 0.05);
  assert.ok(bettingPValue(values, upper - 1e-6, 0.05) > 0.05);
  assert.ok(bettingUpper([], 0.05) > 1 - 1e-8);
});

test("a true mean at the bound is excluded no more often than the level", () => {
  const random = seededRandom(8);
  let excluded = 0;
  for (let i = 0; i < 600; i += 1) {
    const values = Array.from({ length: 80 }, () => (random.uniform() < 0.2 ? random.uniform() : 0));
    if (bettingPValue(values, 0.1, 0.05) <= 0.05) excluded += 1;
  }
  assert.ok(excluded / 600 <= 0.05 + 3 * Math.sqrt((0.05 * 0.95) / 600), `excluded ${excluded}`);
});

test.run();
