import type { ClaimReading } from "../claim-reading.js";

/**
 * Claim "expected-joint-risk": conformal risk control (Angelopoulos et al., arXiv 2208.02814) of the share of all
 * requests, routed or not, that are routed wrongly, every workflow or group counted once. It holds on average over
 * calibrations, not for one file with a stated confidence.
 *
 * @param requests  tested requests of each workflow and group, all of them
 */
export function readAsJointRisk(requests: ReadonlyMap<string, number>): ClaimReading {
  return (counts) => {
    let sum = 0;
    for (const [cluster, all] of requests) sum += counts.of(cluster).events / all;
    const bound = (sum + 1) / (requests.size + 1);
    return {
      designEffect: counts.routed === 0 ? 1 : Math.max(1, counts.routed / requests.size),
      planned: requests.size,
      judge: () => ({ pValue: null, upperBound: Math.min(1, bound) }),
    };
  };
}
