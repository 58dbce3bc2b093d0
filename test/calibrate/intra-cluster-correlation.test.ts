import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fullCoverageIcc, plannedDesignEffect, routedDesignEffect } from "../../calibrate/intra-cluster-correlation.js";
import { near } from "../support/oracle.js";

const test = suite("calibrate/intra-cluster-correlation");

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
  assert.is(fullCoverageIcc(withGroups, withGroups), fullCoverageIcc(inScope, inScope));
});

test("a tier with few errors takes the larger of its own and the overall correlation", () => {
  const mild = rows(false, [1, 9], [2, 8], [1, 9], [2, 8]);
  const strong = rows(false, [10, 0], [0, 10], [10, 0], [0, 10]);
  assert.is(fullCoverageIcc(mild, strong), 1);
  assert.is(fullCoverageIcc(strong, mild), 1);
});

test("a tier with 50 errors stands alone", () => {
  const own = rows(false, [15, 85], [16, 84], [15, 85], [16, 84]);
  assert.is(fullCoverageIcc(own, rows(false, [10, 0], [0, 10])), 0);
});

test("one workflow tells nothing, so the worst is assumed", () => {
  const one = rows(false, [1, 9]);
  assert.is(fullCoverageIcc(one, one), 1);
  near(routedDesignEffect(one, 1), 10, 1e-12);
});

test("a routed out-of-scope group counts as one request", () => {
  const group = rows(true, [8, 0]);
  near(plannedDesignEffect(group, 0), 8, 1e-12);
  const mixed = [...rows(false, [0, 12], [0, 12]), ...group];
  near(plannedDesignEffect(mixed, 0), (24 * 1 + 8 * 8) / 32, 1e-12);
});

test("nothing routed, or one request per cluster, has no design effect", () => {
  assert.is(plannedDesignEffect([], 1), 1);
  assert.is(routedDesignEffect([], 1), 1);
  assert.is(routedDesignEffect(rows(false, [1, 0], [0, 1], [0, 1]), 1), 1);
});

test("observed clustering beyond the correlation counts", () => {
  const agreeing = rows(false, [6, 0], [0, 6], [0, 6], [0, 6]);
  assert.ok(routedDesignEffect(agreeing, 0) > 5);
});

test.run();
