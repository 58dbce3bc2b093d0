import { clopperPearson } from "../../../src/base/numbers/clopper-pearson.js";
import { countByCluster } from "../../../eval/stats/design-effect.js";
import { kornGraubard } from "../../../eval/stats/rate.js";
import { assert, near, oracle, test, testWithShared } from "../../support/test.js";

test("without errors the number of clusters stands in for the trials", () => {
  const found = kornGraubard([
    { trials: 40, events: 0 },
    { trials: 60, events: 0 },
    { trials: 0, events: 0 },
  ]);
  assert.equal(found, { effectiveN: 2, ...clopperPearson(0, 2, 0.95) });
});

test("a single cluster, or none, says nothing", () => {
  assert.is(kornGraubard([{ trials: 40, events: 3 }]), null);
  assert.is(kornGraubard([]), null);
});

test("clusters that agree exactly never claim more than their trials", () => {
  const found = kornGraubard([
    { trials: 10, events: 5 },
    { trials: 10, events: 5 },
  ]);
  assert.is(found?.effectiveN, 20);
});

interface ClusterOracle {
  readonly data: {
    readonly cluster: readonly string[];
    readonly accepted: readonly number[];
    readonly error: readonly number[];
  };
  readonly ratio_estimator: {
    readonly n_eff_df_adjusted: number;
    readonly korn_graubard: readonly [number, number];
  };
}

testWithShared(test, "the reference interval of 12 workflows is met", () => {
  const { data, ratio_estimator: expected } = oracle<ClusterOracle>("cluster.json");
  const routed = data.cluster.flatMap((cluster, i) =>
    data.accepted[i] === 1 ? [{ cluster, event: data.error[i] === 1 }] : [],
  );
  const found = kornGraubard(countByCluster(routed));
  near(found?.effectiveN ?? null, expected.n_eff_df_adjusted, 1e-9);
  near(found?.lower ?? null, expected.korn_graubard[0], 1e-9);
  near(found?.upper ?? null, expected.korn_graubard[1], 1e-9);
});
