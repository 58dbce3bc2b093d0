import type { Measured } from "../../src/documents/evaluation.js";
import { measured, undefinedBecause } from "./measured.js";

/**
 * Mean reciprocal rank: the mean of 1 / rank of the first right answer, or 0 if there is none.
 * @param rankCounts  number of queries per rank; 1 is the best rank
 * @param queries  number of all queries, including those without a right answer
 * @param k  ranks beyond `k` count as absent
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
