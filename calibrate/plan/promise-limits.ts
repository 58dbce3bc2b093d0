import { minimumSampleSize } from "../stats/binomial-test.js";
import { counted, formatCount, formatPercent } from "../../src/documents/number-text.js";
import { smallestTarget } from "../fixed-sequence-test.js";
import { plannedTargets } from "../../src/documents/calibration-plan.js";

/** Amount of data for certification, which is neither scored nor has its labels read. */
export interface UnscoredData {
  readonly workflows: number;
  readonly requests: number;
}

const strictestWithin = (limit: number): number | undefined => plannedTargets.find((target) => target >= limit);

/**
 * One line per claim with the strictest target that this much data can support if no error occurs. The actual result is
 * known only after scoring.
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
      : `This catalog: about ${counted(requests, "request for certification", "requests for certification")}, enough for at most ${formatPercent(ofRequests)} wrong if no route is wrong; near-copies count as one.`,
    ofWorkflows === undefined
      ? `New workflows: about ${counted(workflows, "workflow for certification", "workflows for certification")}, too few; ` +
        `${formatCount(Math.ceil(Math.log(delta) / Math.log(1 - lowest)))} are needed for at most ${formatPercent(lowest)} wrong.`
      : `New workflows: about ${counted(workflows, "workflow for certification", "workflows for certification")}, enough for at most ${formatPercent(ofWorkflows)} wrong if no route is wrong.`,
  ];
}
