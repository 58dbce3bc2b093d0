import type { ScopedCounts } from "./intra-cluster-correlation.js";
import type { RoutableRow } from "./routable.js";
import type { FamilyTally } from "./family-tally.js";

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
  /** The routed requests by family. */
  readonly families: Pick<FamilyTally, "side" | "copies">;
}

/** Number of workflows and out-of-scope groups with a routed request. */
export const clustersOf = ({ inScope, outOfScope }: ScopedCounts): number => inScope.length + outOfScope.length;

/** How a claim evaluates the counts of a step. */
export interface ThresholdStepTest {
  /** Number of routed requests that are worth one independent request, >= 1. */
  readonly design_effect: number;
  /** Effective number of requests, computed without labels. */
  readonly planned: number;
  /** Whether the step could pass with this number of errors, computed without labels. */
  readonly canPass: (errors: number, test: RiskTest) => boolean;
  readonly judge: (test: RiskTest) => TestReading;
}
export type ClaimReading = (counts: RoutedCounts) => ThresholdStepTest;

/** A tested request, as input to the tests. */
export type TestedRow = Omit<RoutableRow, "tier">;
