import type { ClusterCount } from "../../eval/stats/design-effect.js";
import { type RateOptions, rateOfCounts } from "../../eval/stats/rate.js";

/** One trial: its cluster, and whether the counted event happened. */
interface Trial {
  readonly cluster: string;
  readonly event: boolean;
}

/** Counts trials and events per cluster, in order of first appearance. */
export function countByCluster(trials: readonly Trial[]): readonly ClusterCount[] {
  const counts = new Map<string, { trials: number; events: number }>();
  for (const { cluster, event } of trials) {
    const count = counts.get(cluster) ?? { trials: 0, events: 0 };
    count.trials += 1;
    if (event) count.events += 1;
    counts.set(cluster, count);
  }
  return [...counts.values()];
}

export const rateOf = (trials: readonly Trial[], options: RateOptions = {}) =>
  rateOfCounts(countByCluster(trials), options);
