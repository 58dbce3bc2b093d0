import type { CalibrationRow } from "../../../calibrate/calibrators/calibration-row.js";
import { fitRequestFeatures } from "../../../calibrate/calibrators/request-features.js";
import { fitVerifierFeatures } from "../../../calibrate/calibrators/verifier-features.js";
import { chooseCalibrator } from "../../../calibrate/choose-calibrator.js";
import { curveAt, logistic } from "../../../src/router/policy/calibrator-curve.js";
import { noFeatures } from "../../../src/router/policy/request-features.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { assert, pluck, test } from "../../support/test.js";

const names = ["hint", "noise", "constant"] as const;

/** Rows whose log odds of being right are the logit and 1.2 times (hint - 3). */
function rowsByHint(size: number): readonly CalibrationRow[] {
  const random = seededRandom(3);
  return Array.from({ length: size }, (_, i) => {
    const logit = 1.5 * random.normal();
    const values = [3 + 0.5 * random.normal(), random.normal(), 7];
    const right = random.uniform() < logistic(logit + 1.2 * ((values[0] ?? 0) - 3));
    const features = {
      margin: random.uniform(),
      retrieval: 0.5,
      entropy: 0,
      agreement: 1,
      verifier: { names, values },
    };
    return { logit, right, weight: 1, cluster: `c${i % 50}`, features };
  });
}

const curveOf = (rows: readonly CalibrationRow[]) => {
  const fit = fitVerifierFeatures(rows);
  assert.ok(fit.fitted && fit.curve.family === "verifier-features");
  return fit.curve;
};

test("many requests find the weights of the columns; those that say nothing have next to none", () => {
  const { weights, columns, intercept } = curveOf(rowsByHint(40_000));
  assert.equal(pluck(columns, "name"), [...names]);
  const [hint = 0, noise = 1, constant = 1] = columns.map(({ weight }) => weight);
  assert.ok(Math.abs(hint - 1.2) < 0.08, `hint ${hint}`);
  assert.ok(Math.abs(noise) < 0.05, `noise ${noise}`);
  assert.is(constant, 0);
  assert.ok(Math.abs(weights.logit - 1) < 0.1, `logit ${weights.logit}`);
  assert.ok(Math.abs(intercept + 3.6) < 0.4, `intercept ${intercept}`);
});

test("few requests leave the confidences near those without the columns", () => {
  const rows = rowsByHint(60);
  const without = fitRequestFeatures(rows);
  assert.ok(without.fitted);
  const curve = curveOf(rows);
  for (const { logit, features = noFeatures } of rows) {
    const [corrected, plain] = [curveAt(curve, logit, features), curveAt(without.curve, logit, features)];
    assert.ok(Math.abs(corrected - plain) < 0.25, `${corrected} and ${plain}`);
  }
});

test("where the margin says more than the logit, the line of the logit is corrected instead", () => {
  const rows = rowsByHint(400).map(({ features = noFeatures, ...row }) => {
    const margin = row.logit - (row.right ? 0 : 1.5);
    return { ...row, features: { ...features, margin } };
  });
  assert.is(fitRequestFeatures(rows).fitted, false);
  const { weights } = curveOf(rows);
  assert.ok(weights.logit > 0);
  assert.is(weights.margin, 0);
});

test("columns that decide are chosen over every family that does not read them", () => {
  assert.is(chooseCalibrator(rowsByHint(6000)).calibrator.family, "verifier-features");
});

test("rows without features of one verifier are refused, and so are logits that mislead", () => {
  const rows = rowsByHint(500);
  const [first, ...others] = rows;
  const { verifier: _, ...requestOnly } = first?.features ?? noFeatures;
  const without = { ...(first ?? rows[1]), features: requestOnly } as CalibrationRow;
  const renamed = { ...requestOnly, verifier: { names: ["a", "b", "c"], values: [1, 2, 3] } };
  for (const unfit of [[], [without, ...others], [{ ...without, features: renamed }, ...others]]) {
    assert.equal(fitVerifierFeatures(unfit), { fitted: false, reason: "there are no features of the verifier" });
  }
  assert.is(fitVerifierFeatures(rows.map((row) => ({ ...row, logit: -row.logit }))).fitted, false);
});
