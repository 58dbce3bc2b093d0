import fc from "fast-check";
import {
  clopperPearson,
  clopperPearsonLower,
  clopperPearsonUpper,
} from "../../../../src/base/numbers/clopper-pearson.js";
import { assert, near, oracle, test, testWithShared, throws } from "../../../support/test.js";

interface IntervalCase {
  readonly k: number;
  readonly n: number;
  readonly conf: number;
  readonly side: "upper1" | "lower1" | "upper2" | "lower2";
  readonly value: number;
}

const cases = [
  { k: 0, n: 0, confidence: 0.95, lower: 0, upper: 1 },
  { k: 0, n: 10, confidence: 0.95, lower: 0, upper: 1 - 0.025 ** 0.1 },
  { k: 10, n: 10, confidence: 0.95, lower: 0.025 ** 0.1, upper: 1 },
  { k: 5, n: 10, confidence: 0.95, lower: 0.1870860284473986, upper: 0.8129139715526014 },
];
for (const { k, n, confidence, lower, upper } of cases) {
  test(`${k} of ${n} gives its exact limits`, () => {
    const interval = clopperPearson(k, n, confidence);
    near(interval.lower, lower, 1e-12);
    near(interval.upper, upper, 1e-12);
  });
}

test("more events than trials are refused", () => {
  throws(() => clopperPearsonUpper(3, 2, 0.05), "ARGUMENT_INVALID");
  throws(() => clopperPearsonLower(-1, 2, 0.05), "ARGUMENT_INVALID");
  throws(() => clopperPearsonUpper(Number.NaN, 2, 0.05), "ARGUMENT_INVALID");
});

test("the upper limit mirrors the lower limit of the complement", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, share) => {
      const k = Math.round(share * n);
      near(clopperPearsonUpper(k, n, 0.05), 1 - clopperPearsonLower(n - k, n, 0.05), 1e-10);
    }),
    { seed: 9, numRuns: 200 },
  );
});

test("the upper limit rises with the events and falls with the trials", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 400 }), fc.nat(), (n, draw) => {
      const k = draw % (n - 1);
      const upper = clopperPearsonUpper(k, n, 0.05);
      assert.ok(clopperPearsonUpper(k + 1, n, 0.05) > upper);
      assert.ok(clopperPearsonUpper(k, n + 1, 0.05) < upper);
    }),
    { seed: 9, numRuns: 200 },
  );
});

testWithShared(test, "672 reference limits are met", () => {
  const reference = oracle<{ cases: readonly IntervalCase[] }>("clopper_pearson.json").cases;
  assert.is(reference.length, 672);
  for (const { k, n, conf, side, value } of reference) {
    const d = side.endsWith("1") ? 1 - conf : (1 - conf) / 2;
    const found = side.startsWith("upper") ? clopperPearsonUpper(k, n, d) : clopperPearsonLower(k, n, d);
    if (value === 0 || value === 1) assert.is(found, value, `${side} ${k} of ${n}`);
    else near(found, value, 1e-12, `${side} ${k} of ${n} at ${conf}`);
  }
});
