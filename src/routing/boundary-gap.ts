import type { EligibleWorkflows } from "../policy/eligibility.js";
import type { Ranking } from "../retrieval/retriever.js";

/**
 * Distance between retrieval scores at the edge of the candidate list: a change of two scores by half of it can bring
 * another workflow into the list, or another one out of it.
 *
 * @param positions  the candidates, eligible and sentinels, as `candidatePositions` chose them
 * @param sentinels  how many ineligible candidates the policy asks for
 * @returns null when every workflow that counts is a candidate
 */
export function boundaryGap(
  ranking: Ranking,
  positions: readonly number[],
  eligible: Pick<EligibleWorkflows, "hasPosition">,
  sentinels: number,
): number | null {
  const chosen = new Set(positions);
  const lowest = { eligible: Number.POSITIVE_INFINITY, sentinel: Number.POSITIVE_INFINITY };
  const next = { eligible: Number.NEGATIVE_INFINITY, sentinel: Number.NEGATIVE_INFINITY };
  for (let position = 0; position < ranking.scores.length; position += 1) {
    const score = ranking.scores[position] as number;
    const kind = eligible.hasPosition(position) ? "eligible" : "sentinel";
    if (chosen.has(position)) lowest[kind] = Math.min(lowest[kind], score);
    else next[kind] = Math.max(next[kind], score);
  }
  const gaps = [lowest.eligible - next.eligible];
  if (sentinels > 0) {
    // A sentinel outranks the last eligible candidate, and the ineligible workflows that are none.
    gaps.push(lowest.sentinel - Math.max(lowest.eligible, next.sentinel));
    if (next.sentinel <= lowest.eligible) gaps.push(lowest.eligible - next.sentinel);
  }
  const smallest = Math.min(...gaps);
  return Number.isFinite(smallest) ? smallest : null;
}
