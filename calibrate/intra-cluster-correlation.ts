import {
  anovaIcc,
  type ClusterCount,
  countByCluster,
  iccDesignEffect,
  linearDesignEffect,
} from "../src/stats/design-effect.js";
import type { RoutableRow } from "./routable.js";

type ClusteredRow = Pick<RoutableRow, "cluster" | "error" | "outOfScope">;

function countsOf(rows: readonly ClusteredRow[]): readonly ClusterCount[] {
  return countByCluster(rows.map(({ cluster, error }) => ({ cluster, event: error })));
}

/**
 * Intra-cluster correlation of being wrong, at full coverage (every request that could be routed is taken as routed),
 * over the in-scope requests of all tiers: out-of-scope requests are always wrong and are handled by
 * `plannedDesignEffect`. One predicted tier alone is no basis: the few requests of another tier's workflow that it
 * attracts are wrong without exception, so its value would measure how the tiers mix (docs/adr/0005).
 *
 * @param rows  routable requests of one fold, every tier
 * @returns  in [0, 1]; 1, the worst case, with fewer than two workflows
 */
export function fullCoverageIcc(rows: readonly ClusteredRow[]): number {
  const icc = anovaIcc(countsOf(rows.filter((row) => !row.outOfScope)));
  return icc === null ? 1 : Math.min(1, Math.max(0, icc));
}

/**
 * Design effect of routed requests by the ICC rule, at least 1. Requests of one workflow are correlated by `icc`;
 * requests of one out-of-scope group are wrong together, so a group counts as one request.
 */
export function plannedDesignEffect(routed: readonly ClusteredRow[], icc: number): number {
  if (routed.length === 0) return 1;
  const inScope = routed.filter((row) => !row.outOfScope);
  const outOfScope = routed.filter((row) => row.outOfScope);
  const effects =
    inScope.length * iccDesignEffect(countsOf(inScope), icc) +
    outOfScope.length * iccDesignEffect(countsOf(outOfScope), 1);
  return effects / routed.length;
}

/**
 * Design effect of routed requests whose errors are known: the larger of the ICC rule and the linearised variance of
 * the error rate, at least 1. Exactly 1 when no cluster has more than one routed request.
 */
export function routedDesignEffect(routed: readonly ClusteredRow[], icc: number): number {
  const counts = countsOf(routed);
  if (counts.every((c) => c.trials <= 1)) return 1;
  return Math.max(linearDesignEffect(counts) ?? 1, plannedDesignEffect(routed, icc));
}
