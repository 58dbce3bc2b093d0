import type { ClusterCount } from "../eval/stats/design-effect.js";
import type { ScopedCounts } from "./intra-cluster-correlation.js";
import type { RoutableRow } from "./routable.js";

/** One test: the risk to exclude and the probability of a wrong certificate that it may use, both in (0, 1). */
export interface RiskTest {
  readonly target: number;
  readonly delta: number;
}

/** Result of one test. */
export interface TestReading {
  /** null where the method has no p-value. */
  readonly pValue: number | null;
  /** One-sided upper limit at the delta of the test. */
  readonly upperBound: number;
}

/** What a step of the path routes. */
export interface RoutedCounts extends ScopedCounts {
  readonly routed: number;
  readonly errors: number;
  /** Routed requests of a workflow or group; errors among them. Both 0 where it has none. */
  readonly of: (cluster: string) => ClusterCount;
}

/** Workflows and out-of-scope groups with a routed request. */
export const clustersOf = ({ inScope, outOfScope }: ScopedCounts): number => inScope.length + outOfScope.length;

/** How a claim evaluates the counts of a step. */
export interface ThresholdStepTest {
  /** At least 1: routed requests that carry the evidence of one independent request. */
  readonly design_effect: number;
  /** Effective number of requests before any label is read. */
  readonly planned: number;
  /** Effective errors that the test of a target adds to the observed ones. Default: none. */
  readonly added?: (target: number) => number;
  readonly judge: (test: RiskTest) => TestReading;
}
export type ClaimReading = (counts: RoutedCounts) => ThresholdStepTest;

/** A tested request, as input to the tests. */
export type EvidenceRow = Omit<RoutableRow, "tier">;
