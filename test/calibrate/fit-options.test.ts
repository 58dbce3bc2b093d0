import { procedureOf, levelOf } from "../../calibrate/procedure.js";
import type { FitOptions } from "../../src/documents/calibration.js";
import { assert, test } from "../support/test.js";

const noTier = { low: null, medium: null, high: null, critical: null };
const full: FitOptions = {
  target_risk: 0.1,
  languages: null,
  required_tiers: { ...noTier, critical: 0.05 },
  delta: 0.05,
  claim: "fixed-catalog",
  start_errors: [2, 0],
  start_icc: 0.2,
  looser_targets: [0.5, 0.3],
  looser_share: 0.7,
  left_out: true,
  attempt: 3,
  cross_fit: 1,
  calibrator: "platt",
  out_of_scope_share: 0,
};

test("the options that a calibration states give the fit that stated them", () => {
  for (const stated of [full, procedureOf({ target_risk: 0.1, delta: 0.05 })])
    assert.equal(procedureOf(stated), stated);
});

test("what is not chosen has its default, and only targets above the planned one are tested before it", () => {
  const { required_tiers, looser_targets, cross_fit, claim, calibrator } = procedureOf({
    target_risk: 0.2,
    delta: 0.05,
    required_tiers: { high: 0.1 },
    looser_targets: [0.1, 0.3, 0.5, 0.3],
  });
  assert.equal(required_tiers, { ...noTier, high: 0.1 });
  assert.equal(looser_targets, [0.5, 0.3]);
  assert.equal([cross_fit, claim, calibrator], [8, "new-workflows", null]);
});

test("a counted attempt has its share of delta", () => {
  assert.is(levelOf({ delta: 0.05, attempt: null }), 0.05);
  const levels = Array.from({ length: 10_000 }, (_, at) => levelOf({ delta: 0.05, attempt: at + 1 }));
  assert.equal(levels.slice(0, 2), [0.05 * 0.8, 0.05 * 0.15]);
  assert.ok(Math.abs((levels[3] ?? 0) - (0.05 * 0.05 * 6) / (4 * Math.PI ** 2)) < 1e-15);
  const total = levels.reduce((sum, level) => sum + level, 0);
  assert.ok(total < 0.05 && total > 0.0499, `${total}`);
});
