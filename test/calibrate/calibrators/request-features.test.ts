import { fitRequestFeatures } from "../../../calibrate/calibrators/request-features.js";
import { fitLogistic } from "../../../calibrate/calibrators/logistic-regression.js";
import { logistic } from "../../../src/router/policy/calibrator-curve.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { assert, near, oracle, test, testWithShared } from "../../support/test.js";

interface Oracle {
  readonly data: { readonly z: readonly number[]; readonly y: readonly number[] };
  readonly result: {
    readonly logistic_unregularized_hard_targets: { readonly slope: number; readonly intercept: number };
  };
}

/** Rows whose log odds of being right are 0.5 + 0.8 logit + 0.6 margin. */
function rowsByMargin(size: number) {
  const random = seededRandom(9);
  return Array.from({ length: size }, (_, i) => {
    const logit = 2 * random.normal();
    const features = { margin: 3 * random.uniform(), retrieval: 0.5, entropy: random.uniform(), agreement: 1 };
    const right = random.uniform() < logistic(0.5 + 0.8 * logit + 0.6 * (features.margin - 1.5));
    return { logit, right, weight: 1, cluster: `c${i}`, features };
  });
}

test("the weights of what decides are found, and a feature that never varies has none", () => {
  const fit = fitRequestFeatures(rowsByMargin(20_000));
  assert.ok(fit.fitted && fit.curve.family === "request-features");
  const { weights, intercept } = fit.curve;
  assert.ok(Math.abs(weights.logit - 0.8) < 0.05, `logit ${weights.logit}`);
  assert.ok(Math.abs(weights.margin - 0.6) < 0.06, `margin ${weights.margin}`);
  assert.ok(Math.abs(weights.entropy) < 0.15, `entropy ${weights.entropy}`);
  assert.equal([weights.retrieval, weights.agreement], [0, 0]);
  assert.ok(Math.abs(intercept - (0.5 - 0.9)) < 0.2, `intercept ${intercept}`);
});

test("rows with only a logit, and misleading logits, are refused", () => {
  const rows = rowsByMargin(500);
  assert.is(
    fitRequestFeatures(rows.map(({ logit, right, weight, cluster }) => ({ logit, right, weight, cluster }))).fitted,
    false,
  );
  assert.is(fitRequestFeatures(rows.map((row) => ({ ...row, logit: -row.logit }))).fitted, false);
  assert.is(fitRequestFeatures([]).fitted, false);
});

testWithShared(test, "the regression meets the reference, from near and from far", () => {
  const { data, result } = oracle<Oracle>("calibrators.json");
  const problem = {
    features: [Float64Array.from(data.z), new Float64Array(data.z.length).fill(1)],
    target: Float64Array.from(data.y),
    weight: new Float64Array(data.y.length).fill(1),
    ridge: [0, 0],
  };
  for (const start of [
    [0, 0],
    [5, -5],
  ]) {
    const [slope, intercept] = fitLogistic(problem, start) ?? [];
    near(slope ?? null, result.logistic_unregularized_hard_targets.slope, 1e-8);
    near(intercept ?? null, result.logistic_unregularized_hard_targets.intercept, 1e-8);
  }
});

test("separable rows and collinear features have no finite optimum", () => {
  const ones = new Float64Array(4).fill(1);
  const x = Float64Array.of(-2, -1, 1, 2);
  const target = Float64Array.of(0, 0, 1, 1);
  assert.is(fitLogistic({ features: [x, ones], target, weight: ones, ridge: [0, 0] }, [0, 0]), null);
  const mixed = Float64Array.of(0, 1, 1, 1);
  assert.is(fitLogistic({ features: [ones, ones], target: mixed, weight: ones, ridge: [0, 0] }, [0, 0]), null);
});
