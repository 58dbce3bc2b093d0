import { sha256Hex } from "../../src/digest/sha256.js";
import { bettingPValue, bettingUpper } from "../../src/stats/betting-test.js";
import type { ClaimReading, RiskTest } from "../point-evidence.js";

/** Cap of the stakes: near 1 needs the fewest workflows when few are wrong, and keeps a reserve against one that is. */
const stakeCap = 0.9;

/** Workflows in an order that no label decides: by the digest of name and seed. */
function inFixedOrder(clusters: Iterable<string>, seed: number): readonly string[] {
  return [...new Set(clusters)]
    .map((cluster) => ({ cluster, key: sha256Hex(`${cluster} ${seed}`) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ cluster }) => cluster);
}

/**
 * Claim "new-workflows": one value in [0, 1] per workflow or group, its share of wrong routes among its routed requests,
 * and a betting test on their mean. It holds in finite samples for workflows drawn independently, however alike the
 * requests of one workflow are. The mean counts every workflow once.
 *
 * @param clusters  of the rows that the tier could route
 */
export function readAsWorkflows(clusters: Iterable<string>, seed = 0): ClaimReading {
  const order = inFixedOrder(clusters, seed);
  return (counts, planned) => {
    const shares = order.flatMap((cluster) => {
      const { trials, events } = counts.of(cluster);
      return trials === 0 ? [] : [events / trials];
    });
    return {
      designEffect: shares.length === 0 ? 1 : counts.routed / shares.length,
      plannedEffective: planned.routed === 0 ? 0 : planned.workflows * Math.min(1, counts.routed / planned.routed),
      judge: ({ target, delta }: RiskTest) => {
        const pValue = bettingPValue(shares, target, delta, stakeCap);
        const upper = bettingUpper(shares, delta, stakeCap);
        return { pValue, upperBound: pValue <= delta ? Math.min(upper, target) : upper };
      },
    };
  };
}
