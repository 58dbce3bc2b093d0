import {
  boundedFullCoverageIcc,
  plannedDesignEffect,
  routedDesignEffect,
  scopedCounts,
} from "../../calibrate/intra-cluster-correlation.js";
import { assert, near, test } from "../support/test.js";

/** Clusters of rows, each given by its wrong and its right requests. */
function rows(outOfScope: boolean, ...clusters: readonly (readonly [wrong: number, right: number])[]) {
  return clusters.flatMap(([wrong, right], c) =>
    Array.from({ length: wrong + right }, (_, i) => ({
      cluster: `${outOfScope ? "group" : "workflow"}:${c}`,
      error: i < wrong,
      outOfScope,
    })),
  );
}

test("out-of-scope groups do not enter the correlation", () => {
  const inScope = rows(false, [3, 7], [0, 10], [1, 9], [5, 5]);
  const withGroups = [...inScope, ...rows(true, [10, 0], [10, 0])];
  assert.is(boundedFullCoverageIcc(withGroups), boundedFullCoverageIcc(inScope));
});

test("requests that a predicted tier attracts from other tiers count once, next to those that stay in their tier", () => {
  const stays = rows(false, [1, 9], [0, 10], [1, 9], [0, 10]);
  const strays = stays.slice(0, 4).map((row, i) => ({ ...row, cluster: `workflow:other${i % 2}`, error: true }));
  const back = strays.map(({ cluster }) => ({ cluster, error: false, outOfScope: false }));
  const predicted = [...stays, ...strays];
  assert.ok(boundedFullCoverageIcc(predicted) > 0.6);
  assert.ok(boundedFullCoverageIcc([...predicted, ...back, ...back, ...back]) < 0.2);
});

test("one workflow gives no estimate, so the worst is assumed", () => {
  const one = rows(false, [1, 9]);
  assert.is(boundedFullCoverageIcc(one), 1);
  near(routedDesignEffect(scopedCounts(one), 1), 10, 1e-12);
});

test("a routed out-of-scope group counts as one request", () => {
  const group = rows(true, [8, 0]);
  near(plannedDesignEffect(scopedCounts(group), 0), 8, 1e-12);
  const mixed = [...rows(false, [0, 12], [0, 12]), ...group];
  near(plannedDesignEffect(scopedCounts(mixed), 0), (24 * 1 + 8 * 8) / 32, 1e-12);
});

test("nothing routed, or one request per cluster, has no design effect", () => {
  assert.is(plannedDesignEffect(scopedCounts([]), 1), 1);
  assert.is(routedDesignEffect(scopedCounts([]), 1), 1);
  assert.is(routedDesignEffect(scopedCounts(rows(false, [1, 0], [0, 1], [0, 1])), 1), 1);
});

test("observed clustering beyond the correlation counts", () => {
  const agreeing = rows(false, [6, 0], [0, 6], [0, 6], [0, 6]);
  assert.ok(routedDesignEffect(scopedCounts(agreeing), 0) > 5);
});
