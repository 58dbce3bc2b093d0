import fc from "fast-check";
import { atRisk, augrc, aurc, riskCoverageCurve } from "../../../eval/stats/risk-coverage.js";
import { type ScoreTable, scoreTable } from "../../../eval/stats/roc.js";
import { assert, near, oracle, test, testWithShared } from "../../support/test.js";

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
  readonly augrc_trapz: number;
  readonly operating: Readonly<Record<string, number | null>>;
}

const outcomes = (scores: readonly number[], errors: readonly number[]) =>
  scoreTable(
    scores,
    errors.map((error) => 1 - error),
  );

test("equal scores make one point", () => {
  const points = riskCoverageCurve(outcomes([0.5, 0.9, 0.5], [1, 0, 0]));
  assert.equal(points, [
    { threshold: 0.9, accepted: 1, errors: 0, coverage: 1 / 3, selective_risk: 0 },
    { threshold: 0.5, accepted: 3, errors: 1, coverage: 1, selective_risk: 1 / 3 },
  ]);
});

test("coverage can be counted over more requests than could be scored", () => {
  assert.is(riskCoverageCurve(outcomes([0.5], [0]), 4)[0]?.coverage, 0.25);
});

test("nothing scored has an empty curve and no point on it", () => {
  const nothing = outcomes([], []);
  assert.equal(riskCoverageCurve(nothing), []);
  assert.is(atRisk(nothing, 5, 1), null);
});

test("a long curve is thinned to points evenly spaced, first and last kept", () => {
  const scores = Array.from({ length: 1001 }, (_, i) => i);
  const table = outcomes(
    scores,
    scores.map(() => 0),
  );
  const points = riskCoverageCurve(table, 1001, 11);
  assert.equal(
    points.map((p) => p.threshold),
    [1000, 900, 800, 700, 600, 500, 400, 300, 200, 100, 0],
  );
});

test("the areas of a long tied curve equal the sum over every order-averaged prefix", () => {
  const scores = Array.from({ length: 900 }, (_, i) => Math.floor(i / 300));
  const errors = scores.map((_, i) => (i % 7 === 0 ? 1 : 0));
  const table = outcomes(scores, errors);
  let before = { accepted: 0, errors: 0 };
  let total = 0;
  for (const point of riskCoverageCurve(table)) {
    const slope = (point.errors - before.errors) / (point.accepted - before.accepted);
    for (let k = before.accepted + 1; k <= point.accepted; k += 1) {
      total += (before.errors + slope * (k - before.accepted)) / k;
    }
    before = point;
  }
  near(aurc(table).value, total / 900, 1e-12);
});

test("a perfect ranking of two errors in five", () => {
  near(aurc(outcomes([0.9, 0.6, 0.8, 0.5, 0.7], [0, 1, 0, 1, 0])).value, 0.13, 1e-12);
});

test("the area depends on the order of scores alone, not on rows or scale", () => {
  const row = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 1 }));
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 60 }), (rows) => {
      const [scores, errors] = [rows.map(([score]) => score), rows.map(([, error]) => error)];
      const value = aurc(outcomes(scores, errors)).value;
      assert.is(aurc(outcomes(scores.toReversed(), errors.toReversed())).value, value);
      assert.is(aurc(outcomes(scores.map(Math.exp), errors)).value, value);
    }),
    { seed: 1, numRuns: 100 },
  );
});

function meetsOperatingPoint(table: ScoreTable, name: string, expected: number | null): void {
  const point = atRisk(table, table.totalRows, Number(name.slice(name.lastIndexOf("_") + 1)));
  if (name.startsWith("threshold")) assert.is(point?.threshold ?? null, expected, name);
  else near(point?.coverage ?? 0, expected ?? 0, 1e-12, name);
}

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
      near(points[i]?.selective_risk ?? null, expected.selective_risk, 1e-12);
    }
    near(aurc(rows).value, c.aurc_discrete_tie_expected, 1e-12);
    near(augrc(rows).value, c.augrc_trapz, 1e-12);
    const ofRisk = Object.entries(c.operating).filter(([name]) => !name.startsWith("risk_at"));
    for (const [name, expected] of ofRisk) meetsOperatingPoint(rows, name, expected);
  }
});
