import fc from "fast-check";
import {
  anovaIcc,
  clusterRatio,
  clusterSizeFelt,
  designEffect,
  iccDesignEffect,
  linearDesignEffect,
} from "../../../eval/stats/design-effect.js";
import { countByCluster } from "../../support/rate-of.js";
import { assert, near, oracle, test, testWithShared } from "../../support/test.js";

interface ClusterOracle {
  readonly data: {
    readonly cluster: readonly string[];
    readonly accepted: readonly number[];
    readonly error: readonly number[];
  };
  readonly per_cluster: readonly { readonly accepted: number; readonly errors: number }[];
  readonly ratio_estimator: {
    readonly ratio: number;
    readonly se: number;
    readonly deff: number;
  };
  readonly icc_anova: number;
}

const counts = (...pairs: readonly (readonly [number, number])[]) =>
  pairs.map(([trials, events]) => ({ trials, events }));

test("clusters whose members agree carry one trial of evidence each", () => {
  const agreeing = counts([5, 5], [5, 0], [5, 5], [5, 0]);
  near(anovaIcc(agreeing), 1, 1e-12);
  near(iccDesignEffect(agreeing, 1), 5, 1e-12);
});

test("the size felt weights clusters by their trials", () => {
  near(clusterSizeFelt(counts([1, 0], [3, 0])), 2.5, 1e-12);
  assert.is(clusterSizeFelt([]), 0);
});

test("a negative correlation never claims more evidence than there are trials", () => {
  const balanced = counts([2, 1], [2, 1], [2, 1]);
  assert.ok((anovaIcc(balanced) ?? 0) < 0);
  assert.is(designEffect(balanced, -0.5), 1);
});

test("a standard error without meaning is null", () => {
  const cases = [
    { of: [], ratio: null },
    { of: counts([4, 1]), ratio: 0.25 },
    { of: counts([4, 0], [4, 0]), ratio: 0 },
    { of: counts([4, 4], [4, 4]), ratio: 1 },
  ];
  for (const { of, ratio } of cases) {
    assert.equal(clusterRatio(of), { ratio, standardError: null });
    assert.is(linearDesignEffect(of), null);
  }
});

test("one cluster gives no estimate of correlation", () => {
  assert.is(anovaIcc(counts([9, 3])), null);
  assert.is(anovaIcc(counts([9, 0], [9, 0])), 0);
});

test("doubling every row preserves the ratio and its standard error", () => {
  const cluster = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.nat()).map(([trials, draw]) => ({
    trials,
    events: draw % (trials + 1),
  }));
  fc.assert(
    fc.property(fc.array(cluster, { minLength: 2, maxLength: 30 }), (clusters) => {
      const once = clusterRatio(clusters);
      const twice = clusterRatio(clusters.map((c) => ({ trials: 2 * c.trials, events: 2 * c.events })));
      if (once.ratio !== null) near(twice.ratio, once.ratio, 1e-12);
      if (once.standardError !== null) near(twice.standardError, once.standardError, 1e-10);
    }),
    { seed: 2, numRuns: 200 },
  );
});

testWithShared(test, "the reference data of 12 workflows are met", () => {
  const reference = oracle<ClusterOracle>("cluster.json");
  const { cluster, accepted, error } = reference.data;
  const routed = cluster.flatMap((name, i) => (accepted[i] === 1 ? [{ cluster: name, event: error[i] === 1 }] : []));
  const found = countByCluster(routed);
  assert.equal(
    found,
    reference.per_cluster.filter((c) => c.accepted > 0).map((c) => ({ trials: c.accepted, events: c.errors })),
  );
  const ratio = clusterRatio(found);
  near(ratio.ratio, reference.ratio_estimator.ratio, 1e-12);
  near(ratio.standardError, reference.ratio_estimator.se, 1e-12);
  near(linearDesignEffect(found), reference.ratio_estimator.deff, 1e-12);
  near(anovaIcc(found), reference.icc_anova, 1e-12);
});
