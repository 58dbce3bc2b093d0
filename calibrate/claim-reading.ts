import type { ClusterCount } from "../eval/stats/design-effect.js";
import type { ScopedCounts } from "./intra-cluster-correlation.js";
import type { RoutableRow } from "./routable.js";
import { pExact } from "./stats/binomial-test.js";
import { clopperPearsonUpper } from "../src/base/numbers/clopper-pearson.js";

/** One test: the risk to exclude and the permitted probability of a wrong certificate, both in (0, 1). */
export interface RiskTest {
  readonly target: number;
  readonly delta: number;
}

/** Result of one test. */
export interface TestReading {
  readonly pValue: number;
  /** One-sided upper limit at the delta of the test. */
  readonly upperBound: number;
}

/** Counts of the requests that a step of the path routes. */
export interface RoutedCounts extends ScopedCounts {
  readonly routed: number;
  readonly errors: number;
  /** Routed requests of a workflow or group, and the errors among them; both 0 if none is routed. */
  readonly of: (cluster: string) => ClusterCount;
}

/** Number of workflows and out-of-scope groups with a routed request. */
export const clustersOf = ({ inScope, outOfScope }: ScopedCounts): number => inScope.length + outOfScope.length;

/** How a claim evaluates the counts of a step. */
export interface ThresholdStepTest {
  /** Number of routed requests that are worth one independent request, >= 1. */
  readonly design_effect: number;
  /** Effective number of requests, computed without labels. */
  readonly planned: number;
  /** Effective errors added to the observed errors when a target is tested. Default: none. */
  readonly added?: (target: number) => number;
  readonly judge: (test: RiskTest) => TestReading;
}
export type ClaimReading = (counts: RoutedCounts) => ThresholdStepTest;

/** A tested request, as input to the tests. */
export type TestedRow = Omit<RoutableRow, "tier">;

/**
 * Claim "fixed-catalog": requests count as independent, because the claim only covers new requests to the same
 * workflows.
 */
export const readAsRequests: ClaimReading = ({ routed, errors }) => ({
  design_effect: 1,
  planned: routed,
  judge: ({ target, delta }) => ({
    pValue: pExact(errors, routed, target),
    upperBound: clopperPearsonUpper(errors, routed, delta),
  }),
});
