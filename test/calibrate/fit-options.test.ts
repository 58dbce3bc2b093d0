import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fitInputOf, fitOptionsOf } from "../../calibrate/fit-options.js";
import type { FitOptions } from "../../src/domain/calibration.js";

const test = suite("calibrate/fit-options");

const none = { low: null, medium: null, high: null, critical: null };
const plain: FitOptions = {
  targetRisk: 0.1,
  requiredTiers: none,
  delta: 0.05,
  claim: "new-workflows",
  startErrors: [3, 1, 0],
  startIcc: 0.1,
  looserTargets: [0.5, 0.3],
  looserShare: 0.6,
  leftOut: true,
  crossFit: 8,
  calibrator: null,
  outOfScopeShare: null,
  tierMix: null,
  costs: null,
};
const full: FitOptions = {
  ...plain,
  requiredTiers: { ...none, critical: 0.05 },
  claim: "fixed-catalog",
  crossFit: 1,
  calibrator: "platt",
  outOfScopeShare: 0,
  tierMix: { low: 0.25, medium: 0.25, high: 0.25, critical: 0.25 },
  costs: { falseRoute: 5, fallback: 0.2 },
};

test("the options that a calibration states give the input of the fit that stated them", () => {
  for (const stated of [plain, full]) {
    const input = fitInputOf(stated);
    const { target, delta, requiredTiers = {}, claim = "new-workflows", startErrors = [], startIcc = 0 } = input;
    const { looserTargets: targets = [], looserShare: share = 0, leftOut = false } = input;
    const certification = {
      target,
      delta,
      requiredTiers,
      claim,
      startErrors,
      startIcc,
      looser: { targets, share },
      leftOut,
      declaredShare: null,
    };
    assert.equal(fitOptionsOf(input, certification), stated);
  }
});

test.run();
