import type { Measured } from "../../src/documents/evaluation.js";
import { measured, undefinedBecause } from "./measured.js";

/**
 * Mean reciprocal rank: 1 / rank of the first right answer, 0 where it is absent.
 * @param rankCounts  how many queries have each rank, 1 for the best
 * @param queries  all queries, those without a right answer included
 * @param k  ranks beyond it count as absent
 */
export function meanReciprocalRank(
  rankCounts: ReadonlyMap<number, number>,
  queries: number,
  k = Number.POSITIVE_INFINITY,
): Measured {
  if (queries === 0) return undefinedBecause("EMPTY_DENOMINATOR", 0);
  const ranks = [...rankCounts].filter(([rank]) => rank <= k).sort(([a], [b]) => a - b);
  return measured(ranks.reduce((sum, [rank, count]) => sum + count / rank, 0) / queries, queries);
}
