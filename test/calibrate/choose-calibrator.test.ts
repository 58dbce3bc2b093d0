import type { CalibrationRow } from "../../calibrate/calibrators/calibration-row.js";
import { logistic } from "../../src/router/policy/calibrator-curve.js";
import { chooseCalibrator } from "../../calibrate/choose-calibrator.js";
import type { Calibrator } from "../../src/documents/calibrator.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { assert, pluck, test, throws } from "../support/test.js";

/** Rows whose chance of being right is logistic(slope * logit + intercept). */
function rowsWith(
  truth: { readonly slope: number; readonly intercept: number },
  size: number,
): readonly CalibrationRow[] {
  const random = seededRandom(4);
  return Array.from({ length: size }, (_, i) => {
    const logit = 3 * random.normal();
    const right = random.uniform() < logistic(truth.slope * logit + truth.intercept);
    return { logit, right, weight: 1, cluster: `c${i % 60}` };
  });
}

const lineOf = (calibrator: Calibrator): readonly [number, number] =>
  "slope" in calibrator ? [calibrator.slope, calibrator.intercept] : [Number.NaN, Number.NaN];

test("scores that are probabilities already are left alone", () => {
  const { calibrator, candidates } = chooseCalibrator(rowsWith({ slope: 1, intercept: 0 }, 3000));
  assert.equal([calibrator.family, lineOf(calibrator)], ["identity", [1, 0]]);
  assert.equal(
    candidates.filter(({ held_out_loss }) => held_out_loss !== null).map(({ family }) => family),
    ["identity", "platt"],
  );
});

test("scores that are shifted get Platt scaling", () => {
  const { calibrator } = chooseCalibrator(rowsWith({ slope: 0.6, intercept: -1.5 }, 3000));
  assert.is(calibrator.family, "platt");
  assert.ok(Math.abs(lineOf(calibrator)[0] - 0.6) < 0.1);
  assert.ok(Math.abs(lineOf(calibrator)[1] + 1.5) < 0.25);
});

test("with few errors no calibrator is considered and the reader is told", () => {
  const rows = rowsWith({ slope: 0.6, intercept: -1.5 }, 120);
  const { calibrator, candidates, warnings } = chooseCalibrator(rows);
  assert.is(calibrator.family, "identity");
  assert.is(candidates.find(({ family }) => family === "platt")?.refused, "too few wrong first candidates");
  assert.match(warnings[0] ?? "", /^With \d+ wrong first candidates, no calibrator was considered/);
  assert.is(calibrator.fitted_errors, rows.filter((row) => !row.right).length);
  assert.equal(chooseCalibrator(rows, { errorsForMore: 10 }).warnings, []);
});

test("with many rows every k-th is compared, and the winner is fitted on all rows", () => {
  const rows = rowsWith({ slope: 0.4, intercept: 0 }, 12_000);
  const few = chooseCalibrator(rows.filter((_, i) => i % 3 === 0));
  const all = chooseCalibrator(rows);
  assert.equal(pluck(all.candidates, "held_out_loss"), pluck(few.candidates, "held_out_loss"));
  assert.is(all.calibrator.family, few.calibrator.family);
  assert.is(all.calibrator.fitted_requests, 12_000);
});

test("scores that say nothing or mislead are left alone", () => {
  const { calibrator, candidates } = chooseCalibrator(rowsWith({ slope: -0.5, intercept: 0 }, 2000));
  assert.is(calibrator.family, "identity");
  assert.equal(
    pluck(
      candidates.filter(({ refused }) => refused === null),
      "family",
    ),
    ["identity"],
  );
});

test("a family that was settled before is fitted, whatever others would do", () => {
  const rows = rowsWith({ slope: 0.4, intercept: 0 }, 2000);
  const { calibrator, candidates } = chooseCalibrator(rows, { family: "platt" });
  assert.equal([calibrator.family, calibrator.fitted_requests, candidates.length], ["platt", 2000, 0]);
  const { message } = throws(() => chooseCalibrator(rows, { family: "verifier-features" }), "FIT_FAILED");
  assert.match(message, /verifier-features cannot be fitted on 2,000 requests: there are no features of the verifier/);
});

test("fewer clusters than folds leave the scores alone", () => {
  const rows = rowsWith({ slope: 0.4, intercept: 0 }, 500).map((row, i) => ({ ...row, cluster: `c${i % 4}` }));
  const { calibrator, warnings } = chooseCalibrator(rows);
  assert.is(calibrator.family, "identity");
  assert.match(warnings[0] ?? "", /requires 5 workflows or groups, found 4/);
  assert.is(chooseCalibrator([]).calibrator.family, "identity");
});

test("an advantage from a single cluster does not beat identity", () => {
  const fine = rowsWith({ slope: 1, intercept: 0 }, 600);
  const odd = Array.from({ length: 150 }, () => ({ logit: 4, right: false, weight: 1, cluster: "odd" }));
  assert.is(chooseCalibrator([...fine, ...odd]).calibrator.family, "identity");
});
