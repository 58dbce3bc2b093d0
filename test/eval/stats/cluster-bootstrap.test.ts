import { inverseDistribution, percentileInterval, resampleClusters } from "../../../eval/stats/cluster-bootstrap.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { assert, near, oracle, test, testWithShared } from "../../support/test.js";

interface Count {
  readonly accepted: number;
  readonly errors: number;
}

function ratios(clusters: readonly Count[], resamples: number, seed: number): Float64Array {
  const [column] = resampleClusters(
    { clusters: clusters.length, resamples, random: seededRandom(seed) },
    1,
    (draws, values) => {
      const sum = (key: keyof Count) => clusters.reduce((total, c, w) => total + c[key] * (draws[w] as number), 0);
      values[0] = sum("errors") / sum("accepted");
    },
  );
  return column ?? new Float64Array();
}

const four = [
  { accepted: 5, errors: 0 },
  { accepted: 7, errors: 1 },
  { accepted: 0, errors: 0 },
  { accepted: 9, errors: 3 },
];

test("the same seed gives the same values, another seed others", () => {
  const text = (seed: number) => ratios(four, 200, seed).join();
  assert.is(text(1), text(1));
  assert.is.not(text(1), text(2));
});

test("every resample draws as many clusters as there are", () => {
  resampleClusters({ clusters: 7, resamples: 50, random: seededRandom(3) }, 1, (draws, values) => {
    assert.is(
      draws.reduce((sum, count) => sum + count, 0),
      7,
    );
    values[0] = 0;
  });
});

test("resamples without a routed request are left out and counted", () => {
  const values = Float64Array.of(0.3, Number.NaN, 0.1, 0.2);
  assert.equal(percentileInterval(values), { lower: 0.1, upper: 0.3, used: 3, dropped: 1 });
  assert.is(percentileInterval(Float64Array.of(Number.NaN)), null);
});

test("a quantile is the smallest value whose cumulative share reaches it", () => {
  const values = Float64Array.of(1, 2, 3, 4);
  assert.equal(
    [0, 0.25, 0.26, 0.5, 1].map((q) => inverseDistribution(values, q)),
    [1, 1, 2, 2, 4],
  );
});

interface BootstrapOracle {
  readonly per_cluster: readonly Count[];
  readonly exact_bootstrap_first4: {
    readonly values: readonly number[];
    readonly probs: readonly number[];
    readonly q: Readonly<Record<string, number>>;
  };
}

testWithShared(test, "all 256 resamples of four workflows have the reference distribution", () => {
  const { per_cluster: clusters, exact_bootstrap_first4: expected } = oracle<BootstrapOracle>("cluster.json");
  const first = clusters.slice(0, 4);
  const exact = [...Array(256).keys()].flatMap((code) => {
    const drawn = [0, 1, 2, 3].map((digit) => first[Math.floor(code / 4 ** digit) % 4]);
    const sum = (key: keyof Count) => drawn.reduce((total, c) => total + (c?.[key] ?? 0), 0);
    return sum("accepted") === 0 ? [] : [sum("errors") / sum("accepted")];
  });
  const sorted = Float64Array.from(exact).sort();
  for (const [q, value] of Object.entries(expected.q)) near(inverseDistribution(sorted, Number(q)), value, 1e-12, q);

  const sampled = ratios(first, 40_000, 1);
  for (const [i, value] of expected.values.entries()) {
    const share = sampled.filter((found) => Math.abs(found - value) < 1e-12).length / sampled.length;
    assert.ok(Math.abs(share - (expected.probs[i] ?? 0)) < 0.01, `${value}: share ${share}`);
  }
  const interval = percentileInterval(sampled);
  assert.equal([interval?.lower, interval?.upper], [expected.q["0.025"], expected.q["0.975"]]);
});
