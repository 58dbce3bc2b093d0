import type { Evaluation, Measured } from "../../src/domain/evaluation.js";
import { rateOf } from "../../src/stats/rate.js";
import { type RecordOutcome, trialsOf } from "./record-outcome.js";

/**
 * Retrieval over the whole catalog, in-scope requests only; a gold workflow that is not in the ranking is a miss and
 * has reciprocal rank 0.
 * @param topK  number of candidates that the verifier sees
 */
export function retrievalMetrics(outcomes: readonly RecordOutcome[], topK: number): Evaluation["retrieval"] {
  const inScope = outcomes.filter((o) => o.inScope);
  const within = (limit: number) => (outcome: RecordOutcome) =>
    outcome.record.goldRank !== null && outcome.record.goldRank <= limit;
  return {
    top1: rateOf(trialsOf(inScope, within(1))),
    recallAt5: rateOf(trialsOf(inScope, within(5))),
    recallAtK: rateOf(trialsOf(inScope, within(topK))),
    meanReciprocalRank: meanReciprocalRank(inScope),
  };
}

function meanReciprocalRank(inScope: readonly RecordOutcome[]): Measured {
  const n = inScope.length;
  if (n === 0) return { value: null, n, nullReason: "EMPTY_DENOMINATOR" };
  const reciprocals = inScope.map(({ record }) => (record.goldRank === null ? 0 : 1 / record.goldRank));
  return { value: reciprocals.reduce((sum, reciprocal) => sum + reciprocal, 0) / n, n, nullReason: null };
}
