import type { TestStep } from "../src/domain/calibration.js";
import { type PoweredSampleSize, sampleSizePlanner } from "../src/stats/minimum-sample-size.js";
import type { RiskTest } from "./point-evidence.js";

/** Evidence at one pair of thresholds. */
export type RoutedEvidence = Pick<TestStep, "routed" | "errors" | "workflows" | "effectiveRouted">;

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

function planAt(
  point: RoutedEvidence,
  requests: number,
  plannedFor: (rate: number) => PoweredSampleSize | null,
): Omit<SampleSizePlan, "target"> | null {
  const { routed, errors, workflows, effectiveRouted } = point;
  if (routed === 0) return null;
  const expectedRisk = (errors + 0.5) / (routed + 1);
  const needed = plannedFor(expectedRisk);
  if (needed === null) return null;
  const moreRouted = Math.max(0, Math.ceil((needed.trials - effectiveRouted) * (routed / effectiveRouted)));
  return {
    expectedRisk,
    independentNeeded: needed.trials,
    allowedErrors: needed.allowedErrors,
    moreRouted,
    moreRequests: Math.ceil(moreRouted * (requests / routed)),
    moreWorkflows: Math.ceil(moreRouted * (workflows / routed)),
  };
}

/**
 * Requests and workflows that a new CERTIFY fold needs for a target, if it behaves like the evidence: the cheapest plan
 * over the given points. null when no sample size helps: nothing was routed, or the risk is at or too close to the target
 * everywhere.
 *
 * @param points  evidence at one or more pairs of thresholds, e.g. the trace of a tier
 * @param requests  CERTIFY requests of the tier that some thresholds would route
 */
export function planSampleSize(
  points: readonly RoutedEvidence[],
  requests: number,
  test: RiskTest,
): SampleSizePlan | null {
  const plannedFor = sampleSizePlanner({ alpha: test.target, d: test.delta });
  const plans = points.flatMap((point) => {
    const plan = planAt(point, requests, plannedFor);
    return plan === null ? [] : [{ target: test.target, ...plan }];
  });
  return plans.reduce<SampleSizePlan | null>(
    (best, plan) => (best === null || plan.moreRequests < best.moreRequests ? plan : best),
    null,
  );
}

/**
 * The lowest upper limit of any tested point: no stricter target could have been certified with this evidence.
 * null when nothing was tested. It is for planning: a target chosen after a look at CERTIFY needs new CERTIFY data.
 */
export function strictestSupportedTarget(trace: readonly TestStep[]): number | null {
  return trace.length === 0 ? null : Math.min(...trace.map((step) => step.upperBound));
}
