/** Picks the best of many texts, best first: the highest value, equal values by the text's own rank. */
export function bestTexts(
  candidates: readonly number[],
  valueOf: (text: number) => number,
  rankOf: Int32Array,
  count: number,
): readonly number[] {
  const best: number[] = [];
  const values: number[] = [];
  for (const text of candidates) {
    const value = valueOf(text);
    const stands = (place: number): boolean => {
      const difference = value - values[place];
      return difference > 0 || (difference === 0 && rankOf[text] < rankOf[best[place]]);
    };
    if (best.length >= count && (count === 0 || !stands(count - 1))) continue;
    let [low, high] = [0, best.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (stands(middle)) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, text);
    values.splice(low, 0, value);
    if (best.length <= count) continue;
    best.pop();
    values.pop();
  }
  return best;
}

/** Place of each text when texts are sorted by workflow id and their place in the workflow. */
export function textRanks(idRanks: Int32Array, starts: Int32Array): Int32Array {
  const ranks = new Int32Array(starts.at(-1) ?? 0);
  const order = [...idRanks.keys()].sort((a, b) => idRanks[a] - idRanks[b]);
  let rank = 0;
  for (const workflow of order) {
    for (let text = starts[workflow]; text < starts[workflow + 1]; text += 1) {
      ranks[text] = rank;
      rank += 1;
    }
  }
  return ranks;
}

/** Positions from `from` to before `to`. */
export const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
