import { expectedCalibrationError, reliabilityBins } from "../../../eval/stats/reliability.js";
import { scoreTable } from "../../../eval/stats/roc.js";
import { wilson } from "../../../eval/stats/rate.js";
import { assert, near, oracle, test, testWithShared } from "../../support/test.js";

interface BinnedOracle {
  readonly bins: readonly {
    readonly lo: number;
    readonly hi: number;
    readonly n: number;
    readonly conf: number;
    readonly acc: number;
  }[];
  readonly ece: number;
  readonly ace_equal_bin_weight: number;
  readonly mce: number;
  readonly rmsce: number;
}
interface MetricCase {
  readonly p: readonly number[];
  readonly y: readonly number[];
  readonly uniform5: BinnedOracle;
  readonly uniform10: BinnedOracle;
  readonly uniform15: BinnedOracle;
}

const rows = scoreTable;

test("a value on an edge belongs to the bin below it, 0 to the first and 1 to the last", () => {
  const bins = reliabilityBins(rows([0, 0.5, 0.51, 1], [0, 1, 1, 1]), 2);
  assert.equal(
    bins.map((b) => [b.lower, b.upper, b.n]),
    [
      [0, 0.5, 2],
      [0.5, 1, 2],
    ],
  );
});

test("empty bins are absent and accuracies carry their Wilson interval", () => {
  const [bin, ...others] = reliabilityBins(rows([0.95, 0.97, 0.99], [1, 1, 0]));
  assert.equal(others, []);
  assert.is(bin?.accuracy_lower, wilson(2, 3, 0.95).lower);
  assert.is(bin?.accuracy_upper, wilson(2, 3, 0.95).upper);
});

test("no rows have no bins", () => {
  assert.equal(reliabilityBins(rows([], [])), []);
});

test("certain and right is perfect, certain and wrong is worst", () => {
  assert.is(expectedCalibrationError(rows([1, 0], [1, 0])).value, 0);
  assert.is(expectedCalibrationError(rows([1, 1], [0, 0])).value, 1);
});

test("the order of the rows changes no digit", () => {
  const p = [0.13, 0.77, 0.31, 0.92, 0.58, 0.58];
  const y = [0, 1, 1, 1, 0, 1];
  const forward = rows(p, y);
  const backward = rows(p.toReversed(), y.toReversed());
  assert.equal(reliabilityBins(backward), reliabilityBins(forward));
});

testWithShared(test, "reference bins and calibration errors are met", () => {
  const { cases } = oracle<{ cases: readonly MetricCase[] }>("calibration_metrics.json");
  assert.is(cases.length, 4);
  for (const c of cases) {
    const stated = rows(c.p, c.y);
    for (const [count, binned] of [
      [5, c.uniform5],
      [10, c.uniform10],
      [15, c.uniform15],
    ] as const) {
      near(expectedCalibrationError(stated, count).value, binned.ece, 1e-12);
      const found = reliabilityBins(stated, count);
      assert.is(found.length, binned.bins.length);
      for (const [i, expected] of binned.bins.entries()) {
        assert.is(found[i]?.n, expected.n);
        near(found[i]?.lower ?? null, expected.lo, 1e-12);
        near(found[i]?.mean_confidence ?? null, expected.conf, 1e-12);
        near(found[i]?.accuracy ?? null, expected.acc, 1e-12);
      }
    }
  }
});
