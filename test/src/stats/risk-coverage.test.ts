import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { aurc, riskCoverageCurve } from "../../../src/stats/risk-coverage.js";
import { near, oracle } from "../../support/oracle.js";
import { testWithShared } from "../../support/shared.js";

interface CurveCase {
  readonly confidence: readonly number[];
  readonly error: readonly number[];
  readonly points: readonly {
    readonly threshold: number;
    readonly accepted: number;
    readonly errors: number;
    readonly coverage: number;
    readonly selective_risk: number;
  }[];
  readonly aurc_discrete_tie_expected: number;
}

const test = suite("src/stats/risk-coverage");
const outcomes = (scores: readonly number[], errors: readonly number[]) =>
  scores.map((score, i) => ({ score, error: errors[i] === 1 }));

test("equal scores make one point", () => {
  const points = riskCoverageCurve(outcomes([0.5, 0.9, 0.5], [1, 0, 0]));
  assert.equal(points, [
    { threshold: 0.9, accepted: 1, errors: 0, coverage: 1 / 3, selectiveRisk: 0 },
    { threshold: 0.5, accepted: 3, errors: 1, coverage: 1, selectiveRisk: 1 / 3 },
  ]);
});

test("coverage can be counted over more requests than could be scored", () => {
  assert.is(riskCoverageCurve(outcomes([0.5], [0]), 4)[0]?.coverage, 0.25);
});

test("nothing scored has an empty curve and an undefined area", () => {
  assert.equal(riskCoverageCurve([]), []);
  assert.equal(aurc([]), { value: null, n: 0, nullReason: "EMPTY_DENOMINATOR" });
});

test("a perfect ranking of two errors in five", () => {
  near(aurc(outcomes([0.9, 0.6, 0.8, 0.5, 0.7], [0, 1, 0, 1, 0])).value, 0.13, 1e-12);
});

test("the area depends on the order of scores alone, not on rows or scale", () => {
  const row = fc.record({ score: fc.integer({ min: 0, max: 9 }), error: fc.boolean() });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 60 }), (rows) => {
      const value = aurc(rows).value;
      assert.is(aurc([...rows].reverse()).value, value);
      assert.is(aurc(rows.map((r) => ({ ...r, score: Math.exp(r.score) }))).value, value);
    }),
    { seed: 1, numRuns: 100 },
  );
});

testWithShared(test, "reference curves and areas are met", () => {
  const { cases } = oracle<{ cases: readonly CurveCase[] }>("risk_coverage.json");
  assert.is(cases.length, 8);
  for (const c of cases) {
    const rows = outcomes(c.confidence, c.error);
    const points = riskCoverageCurve(rows);
    assert.is(points.length, c.points.length);
    for (const [i, expected] of c.points.entries()) {
      assert.is(points[i]?.threshold, expected.threshold);
      assert.is(points[i]?.accepted, expected.accepted);
      assert.is(points[i]?.errors, expected.errors);
      near(points[i]?.coverage ?? null, expected.coverage, 1e-12);
      near(points[i]?.selectiveRisk ?? null, expected.selective_risk, 1e-12);
    }
    near(aurc(rows).value, c.aurc_discrete_tie_expected, 1e-12);
  }
});

test.run();
