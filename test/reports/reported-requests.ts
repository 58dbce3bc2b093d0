import type { ReportedRequest } from "../../reports/reported-request.js";
import { riskTiers } from "../../src/documents/choices.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";

const thresholds = { low: 0.85, medium: 0.91, high: 0.97, critical: 2 } as const;

/** Requests of four tiers, one third of them out of scope, with the thresholds of `aCalibration()`. */
export function reportedRequestsOf(count: number): readonly ReportedRequest[] {
  const random = seededRandom(11);
  return Array.from({ length: count }, (_, index): ReportedRequest => {
    const tier = riskTiers[index % 4] ?? "low";
    const inScope = index % 3 !== 0;
    const confidence = Math.round(random.uniform() ** 0.4 * 1e4) / 1e4;
    const firstIsRight = inScope && random.uniform() < confidence;
    const routed = confidence >= thresholds[tier];
    const rightWorkflowId = inScope ? `desk.w${index % 7}` : null;
    const first = firstIsRight && rightWorkflowId !== null ? rightWorkflowId : "desk.other";
    return {
      id: `r${index}`,
      population: inScope ? "unseen_workflow" : index % 2 === 0 ? "near_oos" : "far_oos",
      rightWorkflowId,
      tier,
      confidence,
      firstIsRight,
      routed,
      routable: true,
      reason: routed ? "ACCEPTED_LOW_RISK" : "BELOW_RISK_THRESHOLD",
      bucket: bucketOf(inScope, firstIsRight, routed),
      candidates: [
        { workflowId: first, odds: 1 },
        { workflowId: "desk.second", odds: 0.25 },
      ],
    };
  });
}

function bucketOf(inScope: boolean, firstIsRight: boolean, routed: boolean): string {
  if (!inScope) return routed ? "out_of_scope_routed" : "right";
  if (routed) return firstIsRight ? "right" : "routed_wrong";
  return firstIsRight ? "declined_right" : "declined_wrong";
}
