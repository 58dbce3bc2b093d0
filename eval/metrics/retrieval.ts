import type { Evaluation, Measured, RetrievalDetail } from "../../src/documents/evaluation.js";
import { countingOrder } from "../stats/score-resampler.js";
import type { Statistic } from "./bands.js";
import type { ClusterCounter, Holds } from "./count-clusters.js";
import { fact, type OutcomeColumns } from "./outcome-columns.js";
import { measured, undefinedBecause } from "../stats/measured.js";

/**
 * Retrieval quality over the whole catalog, for in-scope requests only. A gold workflow that is not ranked is a miss
 * with reciprocal rank 0.
 * @param topK  number of candidates that the verifier sees
 */
export function retrievalMetrics(
  columns: OutcomeColumns,
  counter: ClusterCounter,
  topK: number,
): Evaluation["retrieval"] {
  const recall = (k: number) => counter.rate({ of: counter.has(fact.inScope), event: within(columns.goldRank, k) });
  return {
    top1: recall(1),
    recall_at_5: recall(5),
    recall_at_k: recall(topK),
  };
}

/** Recall at 1, 3, 5, 10 and topK, with all workflows and with only those that the caller may use. */
export function retrievalDepths(
  columns: OutcomeColumns,
  counter: ClusterCounter,
  topK: number,
): RetrievalDetail["depths"] {
  const depths = [...new Set([1, 3, 5, 10, topK])].filter((k) => k <= topK).sort((a, b) => a - b);
  const inScope = counter.has(fact.inScope);
  return depths.map((k) => ({
    k,
    recall: counter.rate({ of: inScope, event: within(columns.goldRank, k) }),
    eligible_recall: counter.rate({ of: inScope, event: within(columns.eligibleRank, k) }),
  }));
}

const within =
  (ranks: Int32Array, k: number): Holds =>
  (row) => {
    const rank = ranks[row];
    return rank > 0 && rank <= k;
  };

/** Mean reciprocal rank of the in-scope requests over the whole catalog. */
export function reciprocalRank(columns: OutcomeColumns, counter: ClusterCounter): Measured {
  const inScope = counter.has(fact.inScope);
  const counts = new Map<number, number>();
  let requests = 0;
  for (let row = 0; row < columns.requests; row += 1) {
    if (!inScope(row)) continue;
    requests += 1;
    const rank = columns.goldRank[row];
    if (rank > 0) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  }
  return meanReciprocalRank(counts, requests);
}

/**
 * Mean reciprocal rank of a resample. Ranks are summed in ascending order so that the order of the rows has no effect.
 */
export function reciprocalRankStatistic(columns: OutcomeColumns, counter: ClusterCounter): Statistic {
  const ranks = columns.goldRank;
  const requests = new Float64Array(columns.clusters.length);
  const reciprocals = new Float64Array(columns.clusters.length);
  const inScope = counter.has(fact.inScope);
  const largest = ranks.reduce((most, rank) => Math.max(most, rank), 0);
  for (const row of countingOrder(ranks, largest + 1)) {
    if (!inScope(row)) continue;
    const cluster = columns.cluster[row];
    const rank = ranks[row];
    requests[cluster] += 1;
    if (rank > 0) reciprocals[cluster] += 1 / rank;
  }
  return ({ sum }) => sum(reciprocals) / sum(requests);
}

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
