import { minimumSampleSize } from "../stats/minimum-sample-size.js";
import { formatCount, formatPercent } from "../../src/domain/number-text.js";
import { smallestTarget } from "../rule.js";
import { plannedTargets } from "./calibration-plan.js";

/** How much data certification will have. No label of it is read, and nothing of it is scored. */
export interface UnscoredData {
  readonly workflows: number;
  readonly requests: number;
}

const strictestWithin = (limit: number): number | undefined => plannedTargets.find((target) => target >= limit);

/**
 * What so much data can promise at best, without an error among it: a line for each claim. What it will promise is known
 * once the requests are scored.
 */
export function promiseLimits({ workflows, requests }: UnscoredData, delta: number): readonly string[] {
  const [ofRequests, ofWorkflows] = [smallestTarget(requests, delta), smallestTarget(workflows, delta)].map(
    strictestWithin,
  );
  const lowest = plannedTargets.at(-1) ?? 1;
  return [
    ofRequests === undefined
      ? `This catalog: about ${formatCount(requests)} requests certify, too few for any target up to ${formatPercent(lowest)}; ` +
        `${formatCount(minimumSampleSize(lowest, delta, 0))} routed ones without an error are the least.`
      : `This catalog: about ${formatCount(requests)} requests certify, which can support ${formatPercent(ofRequests)} at best.`,
    ofWorkflows === undefined
      ? `New workflows: about ${formatCount(workflows)} workflows certify, too few; ` +
        `${formatCount(Math.ceil(Math.log(delta) / Math.log(1 - lowest)))} are the least for ${formatPercent(lowest)}.`
      : `New workflows: about ${formatCount(workflows)} workflows certify, which can support ${formatPercent(ofWorkflows)} at best.`,
  ];
}
