/** The isotonic calibrator, against values computed with another library. */
import fc from "fast-check";
import { fitIsotonic, blocksByLogit, meanOf, poolAdjacent } from "../../../calibrate/calibrators/isotonic.js";
import { curveAt } from "../../../src/router/policy/calibrator-curve.js";
import { noFeatures } from "../../../src/router/policy/request-features.js";
import { assert, near, oracle, test, testWithShared } from "../../support/test.js";
import { oracleRows } from "./oracle-rows.js";

interface Oracle {
  readonly data: { readonly [name in "p" | "y"]: readonly number[] };
  readonly result: {
    readonly isotonic: { readonly unique_x: readonly number[]; readonly fitted_at_unique_x: readonly number[] };
  };
}

testWithShared(test, "pooling gives the reference isotonic fit", () => {
  const { data, result } = oracle<Oracle>("calibrators.json");
  const blocks = poolAdjacent(blocksByLogit(oracleRows(data.p, data.y)));
  for (const [i, x] of result.isotonic.unique_x.entries()) {
    const block = blocks.find(({ lowest, highest }) => lowest <= x && x <= highest);
    near(block === undefined ? null : meanOf(block), result.isotonic.fitted_at_unique_x[i] ?? Number.NaN, 1e-12);
  }
});

const someRows = fc
  .array(fc.tuple(fc.integer({ min: -8, max: 8 }), fc.boolean()), { minLength: 2, maxLength: 40 })
  .map((pairs) => pairs.map(([logit, right], i) => ({ logit, right, weight: 1, cluster: `c${i}` })));

test("it never falls with the logit and stays in [0, 1], whatever the rows", () => {
  fc.assert(
    fc.property(someRows, (rows) => {
      const found = fitIsotonic(rows);
      if (!found.fitted) return;
      let last = 0;
      for (let z = -10; z <= 10; z += 0.25) {
        const p = curveAt(found.curve, z, noFeatures);
        assert.ok(p >= last - 1e-12 && p <= 1, `${p} after ${last} at ${z}`);
        last = p;
      }
    }),
  );
});

test("it is refused without rows and with one score", () => {
  assert.is(fitIsotonic([]).fitted, false);
  assert.is(fitIsotonic(oracleRows([1, 1, 1], [0, 1, 1])).fitted, false);
});

test("it keeps different scores distinct between the outer centres and never returns 0 or 1", () => {
  const fit = fitIsotonic(oracleRows([-3, -2, -1, 0, 1, 2, 3, 4], [0, 0, 1, 0, 1, 0, 1, 1]));
  assert.ok(fit.fitted && fit.curve.family === "isotonic");
  const { curve } = fit;
  const values = [-1.5, -0.5, 0.5, 1.5, 2.5].map((z) => curveAt(curve, z, noFeatures));
  for (const [i, value] of values.entries()) if (i > 0) assert.ok(value > (values[i - 1] ?? 1));
  assert.ok((curve.confidences[0] ?? 0) > 0 && (curve.confidences.at(-1) ?? 1) < 1);
});
