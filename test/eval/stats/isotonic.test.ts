import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isotonicFit } from "../../../eval/stats/isotonic.js";
import { near } from "../../support/oracle.js";

const test = suite("eval/stats/isotonic");

test("violators are pooled to their weighted mean", () => {
  const fitted = isotonicFit(Float64Array.of(0.2, 0.8, 0.5, 0.9), Float64Array.of(1, 1, 2, 1));
  assert.equal([...fitted], [0.2, 0.6, 0.6, 0.9]);
});

test("means without weight change nothing", () => {
  const fitted = isotonicFit(Float64Array.of(0, 0.3, 9, 0.6), Float64Array.of(0, 1, 0, 1));
  assert.equal([fitted[1], fitted[3]], [0.3, 0.6]);
});

test("a fit is non-decreasing, preserves the weighted mean, and is a fixed point", () => {
  const item = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 9 }));
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 50 }), (items) => {
      const means = Float64Array.from(items, ([mean]) => mean);
      const weights = Float64Array.from(items, ([, weight]) => weight);
      const total = (values: Float64Array) => values.reduce((sum, v, i) => sum + v * (weights[i] ?? 0), 0);
      const fitted = isotonicFit(means, weights);
      for (let i = 1; i < fitted.length; i += 1) assert.ok((fitted[i] ?? 0) >= (fitted[i - 1] ?? 0));
      near(total(fitted), total(means), 1e-9);
      const again = isotonicFit(fitted, weights);
      for (const [i, value] of again.entries()) near(value, fitted[i] ?? Number.NaN, 1e-12);
    }),
    { seed: 4, numRuns: 200 },
  );
});

test.run();
