import type { TestStep } from "../src/domain/calibration.js";
import { poweredSampleSize } from "../src/stats/minimum-sample-size.js";
import type { RiskTest } from "./fixed-sequence.js";

/** Evidence of one tier at one pair of thresholds. */
export interface TierEvidence {
  /** CERTIFY requests of the tier that some thresholds would route. */
  readonly requests: number;
  readonly routed: number;
  readonly errors: number;
  readonly workflows: number;
  readonly effectiveRouted: number;
}

/** What a target needs, and how much more than there is. All counts are of CERTIFY. */
export interface SampleSizePlan {
  readonly target: number;
  /** Assumed true risk: (errors + 0.5) / (routed + 1) of the evidence. */
  readonly expectedRisk: number;
  /** Independent routed requests that certify the target with a chance of 80 %, and the errors they may hold. */
  readonly independentNeeded: number;
  readonly allowedErrors: number;
  /** Routed requests still missing, at the design effect of the evidence. */
  readonly moreRouted: number;
  /** The same in requests of the tier, at the coverage of the evidence. */
  readonly moreRequests: number;
  /** Workflows that bring them, at as many routed requests each as now: the same workflows again would not count. */
  readonly moreWorkflows: number;
}

/**
 * Requests and workflows that a new CERTIFY fold needs for a target, if it behaves like the evidence.
 * null when no sample size helps: nothing was routed, or the risk is at or too close to the target.
 */
export function planSampleSize(evidence: TierEvidence, test: RiskTest): SampleSizePlan | null {
  const { requests, routed, errors, workflows, effectiveRouted } = evidence;
  if (routed === 0 || workflows === 0 || effectiveRouted === 0) return null;
  const expectedRisk = (errors + 0.5) / (routed + 1);
  const needed = poweredSampleSize({ alpha: test.target, d: test.delta }, expectedRisk);
  if (needed === null) return null;
  const moreRouted = Math.max(0, Math.ceil((needed.trials - effectiveRouted) * (routed / effectiveRouted)));
  return {
    target: test.target,
    expectedRisk,
    independentNeeded: needed.trials,
    allowedErrors: needed.allowedErrors,
    moreRouted,
    moreRequests: Math.ceil(moreRouted * (requests / routed)),
    moreWorkflows: Math.ceil(moreRouted * (workflows / routed)),
  };
}

/**
 * The lowest upper limit of any tested point: no stricter target could have been certified with this evidence.
 * null when nothing was tested. It is for planning: a target chosen after a look at CERTIFY needs new CERTIFY data.
 */
export function strictestSupportedTarget(trace: readonly TestStep[]): number | null {
  return trace.length === 0 ? null : Math.min(...trace.map((step) => step.upperBound));
}
