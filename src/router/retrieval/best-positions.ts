/** Fields that determine the order of a ranking. */
export interface Scores {
  /** Score of each workflow, in index order; higher is better. */
  readonly scores: Float64Array;
  /** Rank of each workflow id in sorted order, in index order. */
  readonly idRanks: Int32Array;
}

/** Rank of each id when sorted by UTF-16 code units; computed once per index. */
export function idRanksOf(workflowIds: readonly string[]): Int32Array {
  const sorted = [...workflowIds.keys()].sort((a, b) => ((workflowIds[a] ?? "") < (workflowIds[b] ?? "") ? -1 : 1));
  const ranks = new Int32Array(workflowIds.length);
  for (const [rank, position] of sorted.entries()) ranks[position] = rank;
  return ranks;
}

/** Whether the workflow at `position` ranks above the one at `other`: by score, then by id. */
export function outranks({ scores, idRanks }: Scores, position: number, other: number): boolean {
  const difference = scores[position] - scores[other];
  return difference === 0 ? idRanks[position] < idRanks[other] : difference > 0;
}

/**
 * Positions of the best workflows, best first. Ties are broken by id, so the order of the catalog never matters. Makes
 * one pass over the scores.
 * @param accepts  which positions may be chosen; by default all
 */
export function bestPositions(
  ranking: Scores,
  count: number,
  accepts: (position: number) => boolean = () => true,
): readonly number[] {
  const room = Math.min(count, ranking.scores.length);
  const best = new Int32Array(room);
  let length = 0;
  for (let position = 0; position < ranking.scores.length; position += 1) {
    const isFull = length === room;
    if (isFull && (room === 0 || !outranks(ranking, position, best[room - 1]))) continue;
    if (!accepts(position)) continue;
    const end = isFull ? room - 1 : length;
    const slot = slotOf(ranking, position, best, end);
    best.copyWithin(slot + 1, slot, end);
    best[slot] = position;
    length = end + 1;
  }
  return Array.from(best.subarray(0, length));
}

/** Insertion point of a position among the first `count` ranked ones. */
function slotOf(ranking: Scores, position: number, best: Int32Array, count: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (outranks(ranking, position, best[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Number of workflows that rank above the one at `position`. Makes one pass over the scores. */
export function rankOf(ranking: Scores, position: number): number {
  let rank = 0;
  for (let other = 0; other < ranking.scores.length; other += 1) if (outranks(ranking, other, position)) rank += 1;
  return rank;
}
