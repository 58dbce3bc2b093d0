import { anovaIcc, type ClusterCount, iccDesignEffect, linearDesignEffect } from "../eval/stats/design-effect.js";
import type { RoutableRow } from "./routable.js";

type ClusteredRow = Pick<RoutableRow, "cluster" | "error" | "outOfScope">;

/** Requests and errors per workflow and per out-of-scope group. */
export interface ScopedCounts {
  readonly inScope: readonly ClusterCount[];
  readonly outOfScope: readonly ClusterCount[];
}

/** Counts of routed rows by cluster. */
export function scopedCounts(rows: readonly ClusteredRow[]): ScopedCounts {
  const [inScope, outOfScope] = [new Map<string, Tally>(), new Map<string, Tally>()];
  for (const { cluster, error, outOfScope: outside } of rows) {
    const counts = outside ? outOfScope : inScope;
    let count = counts.get(cluster);
    if (count === undefined) counts.set(cluster, (count = { trials: 0, events: 0 }));
    count.trials += 1;
    if (error) count.events += 1;
  }
  return { inScope: [...inScope.values()], outOfScope: [...outOfScope.values()] };
}

interface Tally {
  trials: number;
  events: number;
}

/**
 * Intra-cluster correlation of errors at full coverage (every routable request counts as routed), over the in-scope
 * requests of all tiers. Out-of-scope requests are always wrong; `plannedDesignEffect` handles them. A single predicted
 * tier is not a valid basis: the few requests that it attracts from other tiers are always wrong, so the value would
 * measure how the tiers mix (docs/adr/0015).
 *
 * @param rows  routable requests of one fold, every tier
 * @returns  in [0, 1]; 1, the worst case, with fewer than two workflows
 */
export const boundedFullCoverageIcc = (rows: readonly ClusteredRow[]): number => boundedIcc(scopedCounts(rows).inScope);

/** As `boundedFullCoverageIcc`, from in-scope counts. */
export function boundedIcc(inScope: readonly ClusterCount[]): number {
  const icc = anovaIcc(inScope);
  return icc === null ? 1 : Math.min(1, Math.max(0, icc));
}

const trialsOf = (counts: readonly ClusterCount[]): number => counts.reduce((sum, { trials }) => sum + trials, 0);

/**
 * Design effect of routed requests by the ICC rule, at least 1. Requests of one workflow are correlated by `icc`; those
 * of one out-of-scope group are all wrong, so a group counts as one request.
 */
export function plannedDesignEffect({ inScope, outOfScope }: ScopedCounts, icc: number): number {
  const [inside, outside] = [trialsOf(inScope), trialsOf(outOfScope)];
  if (inside + outside === 0) return 1;
  const effects = inside * iccDesignEffect(inScope, icc) + outside * iccDesignEffect(outOfScope, 1);
  return effects / (inside + outside);
}

/**
 * Design effect of routed requests whose errors are known: the larger of the ICC rule and the linearised variance of
 * the error rate, at least 1. Exactly 1 if no cluster has more than one routed request.
 */
export function routedDesignEffect(counts: ScopedCounts, icc: number): number {
  const all = [...counts.inScope, ...counts.outOfScope];
  if (all.every((c) => c.trials <= 1)) return 1;
  return Math.max(linearDesignEffect(all) ?? 1, plannedDesignEffect(counts, icc));
}
