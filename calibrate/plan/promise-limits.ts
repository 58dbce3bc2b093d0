import { minimumSampleSize } from "../stats/minimum-sample-size.js";
import { counted, formatCount, formatPercent } from "../../src/documents/number-text.js";
import { smallestTarget } from "../fixed-sequence-test.js";
import { plannedTargets } from "../../src/documents/calibration-plan.js";

/** How much data certification will have. Its labels are not read, and it is not scored. */
export interface UnscoredData {
  readonly workflows: number;
  readonly requests: number;
}

const strictestWithin = (limit: number): number | undefined => plannedTargets.find((target) => target >= limit);

/**
 * The best claim that this much data can support, without any error: a line for each claim. The actual claim is known
 * after scoring.
 */
export function promiseLimits({ workflows, requests }: UnscoredData, delta: number): readonly string[] {
  const [ofRequests, ofWorkflows] = [smallestTarget(requests, delta), smallestTarget(workflows, delta)].map(
    strictestWithin,
  );
  const lowest = plannedTargets.at(-1) ?? 1;
  return [
    ofRequests === undefined
      ? `This catalog: about ${counted(requests, "request for certification", "requests for certification")}, too few for any target up to ${formatPercent(lowest)}; ` +
        `${formatCount(minimumSampleSize(lowest, delta, 0))} routed ones without an error are the least.`
      : `This catalog: about ${counted(requests, "request for certification", "requests for certification")}, which can support ${formatPercent(ofRequests)} at best.`,
    ofWorkflows === undefined
      ? `New workflows: about ${counted(workflows, "workflow for certification", "workflows for certification")}, too few; ` +
        `${formatCount(Math.ceil(Math.log(delta) / Math.log(1 - lowest)))} are the least for ${formatPercent(lowest)}.`
      : `New workflows: about ${counted(workflows, "workflow for certification", "workflows for certification")}, which can support ${formatPercent(ofWorkflows)} at best.`,
  ];
}
