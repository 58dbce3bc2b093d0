import { suite } from "uvu";
import * as assert from "uvu/assert";
import { planSampleSize, strictestSupportedTarget } from "../../calibrate/plan-sample-size.js";
import type { TestStep } from "../../src/domain/calibration.js";

const test = suite("calibrate/plan-sample-size");

const point = (routed: number, errors: number, effectiveRouted: number, workflows = 20) => ({
  routed,
  errors,
  effectiveRouted,
  workflows,
});

test("missing requests are stretched by the design effect and the coverage", () => {
  const plan = planSampleSize([point(199, 2, 99.5)], 398, { target: 0.05, delta: 0.05 });
  assert.equal(plan, {
    target: 0.05,
    expectedRisk: 0.0125,
    independentNeeded: 153,
    allowedErrors: 3,
    moreRouted: 107,
    moreRequests: 214,
    moreWorkflows: 11,
  });
});

test("enough evidence needs nothing more", () => {
  assert.is(planSampleSize([point(999, 2, 999)], 999, { target: 0.05, delta: 0.05 })?.moreRequests, 0);
});

test("the cheapest point is planned for", () => {
  const cheap = point(300, 1, 300);
  const costly = point(400, 14, 400);
  const test5 = { target: 0.05, delta: 0.05 };
  assert.equal(planSampleSize([costly, cheap], 500, test5), planSampleSize([cheap], 500, test5));
});

test("a risk at the target, or nothing routed, has no plan", () => {
  assert.is(planSampleSize([point(100, 5, 100)], 100, { target: 0.05, delta: 0.05 }), null);
  assert.is(planSampleSize([point(0, 0, 0, 0)], 100, { target: 0.05, delta: 0.05 }), null);
  assert.is(planSampleSize([], 100, { target: 0.05, delta: 0.05 }), null);
});

test("no target below the lowest tested limit is supported", () => {
  const step = (upperBound: number): TestStep => ({
    ...point(100, 1, 100),
    confidence: 0.9,
    margin: 0,
    designEffect: 1,
    pValue: 0.01,
    upperBound,
    passed: true,
  });
  assert.is(strictestSupportedTarget([step(0.03), step(0.02), step(0.06)]), 0.02);
  assert.is(strictestSupportedTarget([]), null);
});

test.run();
