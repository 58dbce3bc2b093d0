/** The calibrators that are no straight line in logits, against values computed with other libraries. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fitBeta } from "../../../calibrate/calibrators/beta.js";
import type { CalibrationRow, CurveFit } from "../../../calibrate/calibrators/calibration-row.js";
import { equalMassBlocks, fitHistogram, laplaceShare } from "../../../calibrate/calibrators/histogram.js";
import { fitIsotonic } from "../../../calibrate/calibrators/isotonic.js";
import { blocksByLogit, joined, meanOf, poolAdjacent } from "../../../calibrate/calibrators/pool-adjacent.js";
import { fitVennAbers } from "../../../calibrate/calibrators/venn-abers.js";
import type { CalibratorCurve } from "../../../src/domain/calibrator.js";
import { curveAt, mergedProbability } from "../../../src/policy/calibrator-curve.js";
import { noEvidence } from "../../../src/policy/request-evidence.js";
import { near, oracle } from "../../support/oracle.js";
import { testWithShared } from "../../support/shared.js";
import { oracleRows } from "./oracle-rows.js";

interface Oracle {
  readonly data: { readonly [name in "z" | "p" | "y" | "z_test" | "p_test"]: readonly number[] };
  readonly result: {
    readonly beta: { readonly a: number; readonly b: number; readonly c: number; readonly predict: readonly number[] };
    readonly beta_constrained_example: {
      readonly p: readonly number[];
      readonly y: readonly number[];
      readonly a: number;
      readonly b: number;
      readonly c: number;
    };
    readonly isotonic: { readonly unique_x: readonly number[]; readonly fitted_at_unique_x: readonly number[] };
    readonly histogram_uniform10: {
      readonly edges: readonly number[];
      readonly count: readonly number[];
      readonly laplace: readonly number[];
    };
    readonly venn_abers: { readonly [name in "p0" | "p1" | "merged" | "test"]: readonly number[] };
  };
}

const test = suite("calibrate/calibrators/shapes");

function curveOf(fit: CurveFit): CalibratorCurve {
  if (!fit.fitted) throw new Error(fit.reason);
  return fit.curve;
}

/** The log odds of a probability that was clipped as the reference clips. */
function logitOf(p: number): number {
  const clipped = Math.min(1 - 1e-12, Math.max(1e-12, p));
  return Math.log(clipped) - Math.log1p(-clipped);
}

testWithShared(test, "beta calibration meets the reference parameters and predictions", () => {
  const { data, result } = oracle<Oracle>("calibrators.json");
  const curve = curveOf(fitBeta(oracleRows(data.p.map(logitOf), data.y)));
  assert.ok(curve.family === "beta");
  near(curve.a, result.beta.a, 1e-8);
  near(curve.b, result.beta.b, 1e-8);
  near(curve.c, result.beta.c, 1e-8);
  for (const [i, p] of data.p_test.entries()) {
    near(curveAt(curve, logitOf(p), noEvidence), result.beta.predict[i] ?? Number.NaN, 1e-6);
  }
});

testWithShared(test, "a negative beta parameter is left out of the fit as in the reference", () => {
  const { beta_constrained_example: example } = oracle<Oracle>("calibrators.json").result;
  const curve = curveOf(fitBeta(oracleRows(example.p.map(logitOf), example.y)));
  assert.ok(curve.family === "beta");
  near(curve.a, example.a, 1e-8);
  assert.is(curve.b, 0);
  near(curve.c, example.c, 1e-8);
});

testWithShared(test, "pooling gives the reference isotonic fit", () => {
  const { data, result } = oracle<Oracle>("calibrators.json");
  const blocks = poolAdjacent(blocksByLogit(oracleRows(data.p, data.y)));
  for (const [i, x] of result.isotonic.unique_x.entries()) {
    const block = blocks.find(({ lowest, highest }) => lowest <= x && x <= highest);
    near(block === undefined ? null : meanOf(block), result.isotonic.fitted_at_unique_x[i] ?? Number.NaN, 1e-12);
  }
});

testWithShared(test, "shrunk shares of uniform bins are those of the reference", () => {
  const { data, result } = oracle<Oracle>("calibrators.json");
  const { edges, count, laplace } = result.histogram_uniform10;
  const blocks = blocksByLogit(oracleRows(data.p, data.y));
  for (const [i, expected] of laplace.entries()) {
    const [lower, upper] = [i === 0 ? -1 : (edges[i] ?? 0), edges[i + 1] ?? 1];
    const inside = blocks.filter(({ lowest }) => lowest > lower && lowest <= upper);
    const bin = inside.reduce(joined, { right: 0, weight: 0, moment: 0, lowest: 0, highest: 0 });
    assert.is(bin.weight, count[i]);
    near(laplaceShare(bin), expected, 1e-12);
  }
});

testWithShared(test, "the Venn-Abers table gives the reference interval and probability of every test score", () => {
  const { data, result } = oracle<Oracle>("calibrators.json");
  const curve = curveOf(fitVennAbers(oracleRows(data.p, data.y)));
  assert.ok(curve.family === "venn-abers");
  for (const [i, s] of result.venn_abers.test.entries()) {
    near(curveAt(curve, s, noEvidence), result.venn_abers.merged[i] ?? Number.NaN, 1e-12);
    near(
      mergedProbability(result.venn_abers.p0[i] ?? 0, result.venn_abers.p1[i] ?? 0),
      curveAt(curve, s, noEvidence),
      1e-12,
    );
  }
});

/** By definition: the isotonic fit of the rows and one more, read at the one more. */
function fittedWith(rows: readonly CalibrationRow[], logit: number, right: boolean): number {
  const more = [...rows, { logit, right, weight: 1, cluster: "new" }];
  const block = poolAdjacent(blocksByLogit(more)).find(({ lowest, highest }) => lowest <= logit && logit <= highest);
  return block === undefined ? Number.NaN : meanOf(block);
}

const someRows = fc
  .array(fc.tuple(fc.integer({ min: -8, max: 8 }), fc.boolean()), { minLength: 2, maxLength: 40 })
  .map((pairs) => pairs.map(([logit, right], i) => ({ logit, right, weight: 1, cluster: `c${i}` })));

test("the Venn-Abers table is the definition, at, between and beyond the scores, ties included", () => {
  fc.assert(
    fc.property(someRows, fc.integer({ min: -20, max: 20 }), (rows, halves) => {
      const fit = fitVennAbers(rows);
      if (!fit.fitted) return;
      const z = halves / 2;
      const expected = mergedProbability(fittedWith(rows, z, false), fittedWith(rows, z, true));
      near(curveAt(fit.curve, z, noEvidence), expected, 1e-9);
    }),
  );
});

const fits = { isotonic: fitIsotonic, histogram: fitHistogram, vennAbers: fitVennAbers, beta: fitBeta } as const;
for (const [name, fit] of Object.entries(fits)) {
  test(`${name} never falls with the logit and stays in [0, 1], whatever the rows`, () => {
    fc.assert(
      fc.property(someRows, (rows) => {
        const found = fit(rows);
        if (!found.fitted) return;
        let last = 0;
        for (let z = -10; z <= 10; z += 0.25) {
          const p = curveAt(found.curve, z, noEvidence);
          assert.ok(p >= last - 1e-12 && p <= 1, `${p} after ${last} at ${z}`);
          last = p;
        }
      }),
    );
  });

  test(`${name} is refused without rows and with one score`, () => {
    assert.is(fit([]).fitted, false);
    assert.is(fit(oracleRows([1, 1, 1], [0, 1, 1])).fitted, false);
  });
}

test("isotonic keeps different scores distinct between the outer centres and never returns 0 or 1", () => {
  const curve = curveOf(fitIsotonic(oracleRows([-3, -2, -1, 0, 1, 2, 3, 4], [0, 0, 1, 0, 1, 0, 1, 1])));
  assert.ok(curve.family === "isotonic");
  const values = [-1.5, -0.5, 0.5, 1.5, 2.5].map((z) => curveAt(curve, z, noEvidence));
  for (const [i, value] of values.entries()) if (i > 0) assert.ok(value > (values[i - 1] ?? 1));
  assert.ok((curve.confidences[0] ?? 0) > 0 && (curve.confidences.at(-1) ?? 1) < 1);
});

test("bins of equal mass never split equal scores", () => {
  const blocks = blocksByLogit(oracleRows([1, 1, 1, 1, 2, 3, 4, 5], [0, 0, 1, 0, 1, 0, 1, 1]));
  assert.equal(
    equalMassBlocks(blocks, 4).map((bin) => bin.weight),
    [4, 1, 2, 1],
  );
});

test("separable rows have no finite beta calibration", () => {
  assert.is(fitBeta(oracleRows([-2, -1, 1, 2], [0, 0, 1, 1])).fitted, false);
});

test.run();
