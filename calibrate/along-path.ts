import type { ClusterCount } from "../eval/stats/design-effect.js";
import type { EvidenceRow, RoutedCounts } from "./claim-reading.js";

/** Number of thresholds, from the strict end, that do not route the row. */
function firstReached(path: readonly number[], row: EvidenceRow): number {
  let [low, high] = [0, path.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (row.confidence >= path[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Row numbers in the order of the thresholds at which they are first routed; rows that none routes are left out. */
function rowsByPoint(path: readonly number[], rows: readonly EvidenceRow[]) {
  const reached = Int32Array.from(rows, (row) => firstReached(path, row));
  const ends = new Int32Array(path.length + 1);
  for (const point of reached) ends[point] += 1;
  for (let point = 1; point < ends.length; point += 1) ends[point] += ends[point - 1];
  const order = new Int32Array(rows.length);
  const next = ends.slice();
  for (let i = rows.length - 1; i >= 0; i -= 1) {
    const point = reached[i];
    next[point] -= 1;
    order[next[point]] = i;
  }
  return { order, ends };
}

const noRequests: ClusterCount = { trials: 0, events: 0 };

/**
 * Measures each threshold of a path, in its order, in one pass over the rows: along a path only requests are added.
 *
 * @param path  thresholds, falling
 * @param measure  called with the counts at a threshold; they are not valid after it returns
 */
export function alongPath<T>(
  path: readonly number[],
  rows: readonly EvidenceRow[],
  measure: (counts: RoutedCounts, threshold: number) => T,
): readonly T[] {
  const clusters = new Map<string, number>();
  const clusterOf = Int32Array.from(rows, ({ cluster }) => {
    const index = clusters.get(cluster) ?? clusters.size;
    clusters.set(cluster, index);
    return index;
  });
  const [trials, events] = [new Int32Array(clusters.size), new Int32Array(clusters.size)];
  const isOutOfScope = new Uint8Array(clusters.size);
  for (const [i, row] of rows.entries()) if (row.outOfScope) isOutOfScope[clusterOf[i]] = 1;

  const countOf = (cluster: number): ClusterCount => ({
    trials: trials[cluster],
    events: events[cluster],
  });
  const countsWhere = (outOfScope: number): readonly ClusterCount[] => {
    const counts: ClusterCount[] = [];
    for (let cluster = 0; cluster < trials.length; cluster += 1) {
      if (isOutOfScope[cluster] === outOfScope && trials[cluster] > 0) counts.push(countOf(cluster));
    }
    return counts;
  };
  const of = (name: string): ClusterCount => {
    const cluster = clusters.get(name);
    return cluster === undefined ? noRequests : countOf(cluster);
  };

  const { order, ends } = rowsByPoint(path, rows);
  let [routed, errors] = [0, 0];
  return path.map((threshold, index) => {
    for (; routed < ends[index]; routed += 1) {
      const i = order[routed];
      const cluster = clusterOf[i];
      trials[cluster] += 1;
      if (rows[i]?.error !== true) continue;
      events[cluster] += 1;
      errors += 1;
    }
    return measure({ inScope: countsWhere(0), outOfScope: countsWhere(1), routed, errors, of }, threshold);
  });
}
