import { alongPath, type RoutedCounts } from "./along-path.js";
import { plannedDesignEffect, routedDesignEffect } from "./intra-cluster-correlation.js";
import type { RoutableRow } from "./routable.js";
import type { ThresholdPoint } from "./threshold-path.js";

/** One test: the risk to exclude and the share of the failure probability that it may use. */
export interface RiskTest {
  /** Target risk, in (0, 1). */
  readonly target: number;
  /** Probability of a wrong certificate, in (0, 1). */
  readonly delta: number;
}

/** What the evidence says about one test. */
export interface Judgement {
  /** null where the method has no p-value. */
  readonly pValue: number | null;
  /** One-sided upper limit at the delta of the test. */
  readonly upperBound: number;
}

/** What the CERTIFY fold shows at one point of the path. */
export interface PointEvidence extends ThresholdPoint {
  readonly routed: number;
  readonly errors: number;
  /** Workflows and out-of-scope groups with a routed request. */
  readonly workflows: number;
  /** At least 1: routed requests that carry the evidence of one independent unit. */
  readonly designEffect: number;
  /** routed / designEffect. */
  readonly effectiveRouted: number;
  /** The same as far as it is known without the labels of CERTIFY. */
  readonly plannedEffective: number;
  /** Judges a test; absent: the exact binomial test on `effectiveRouted` requests. */
  readonly judge?: (test: RiskTest) => Judgement;
}

export type EvidenceRow = Omit<RoutableRow, "tier">;

/** Rows of one tier and fold, with the correlation of errors of the fold: see `fullCoverageIcc`. */
export interface FoldEvidence {
  readonly rows: readonly EvidenceRow[];
  readonly icc: number;
}

/** Effective counts of one point, and how to judge it. */
export type ClaimEvidence = Pick<PointEvidence, "designEffect" | "plannedEffective" | "judge">;

/** What TUNE says about a point before CERTIFY is looked at. */
export interface PlannedPoint {
  readonly routed: number;
  readonly workflows: number;
  readonly designEffect: number;
}

/** How a claim reads the counts of a point; see calibrate/claims. */
export type ClaimReading = (counts: RoutedCounts, planned: PlannedPoint, icc: number) => ClaimEvidence;

/** Requests of one workflow are worth fewer independent ones: claim "new-workflows-approximate". */
export const readAsEffectiveRequests: ClaimReading = (counts, planned, icc) => ({
  designEffect: routedDesignEffect(counts, icc),
  plannedEffective: counts.routed / planned.designEffect,
});

/**
 * Evidence at each point of the path, in its order.
 * @param path  neither threshold rises from one point to the next
 */
export function pathEvidence(
  path: readonly ThresholdPoint[],
  tune: FoldEvidence,
  certify: FoldEvidence,
  read: ClaimReading = readAsEffectiveRequests,
): readonly PointEvidence[] {
  const planned = alongPath(path, tune.rows, (counts) => ({
    routed: counts.routed,
    workflows: counts.inScope.length + counts.outOfScope.length,
    designEffect: plannedDesignEffect(counts, tune.icc),
  }));
  let index = 0;
  return alongPath(path, certify.rows, (counts, point) => {
    const plan = planned[index] ?? { routed: 0, workflows: 0, designEffect: 1 };
    index += 1;
    const { designEffect, ...rest } = read(counts, plan, certify.icc);
    return {
      ...point,
      routed: counts.routed,
      errors: counts.errors,
      workflows: counts.inScope.length + counts.outOfScope.length,
      designEffect,
      effectiveRouted: counts.routed / designEffect,
      ...rest,
    };
  });
}
