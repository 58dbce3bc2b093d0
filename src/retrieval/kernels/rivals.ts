/** Picks the best of many texts: the highest value first, equal values by the text's own rank. */
export function bestTexts(
  candidates: readonly number[],
  valueOf: (text: number) => number,
  rankOf: Int32Array,
  count: number,
): readonly number[] {
  const valued = candidates.map((text) => ({ text, value: valueOf(text) }));
  valued.sort((a, b) => b.value - a.value || (rankOf[a.text] as number) - (rankOf[b.text] as number));
  return valued.slice(0, count).map(({ text }) => text);
}

/** Place of each text when texts are sorted by workflow id and their place in the workflow. */
export function textRanks(idRanks: Int32Array, starts: Int32Array): Int32Array {
  const ranks = new Int32Array(starts.at(-1) ?? 0);
  const order = [...idRanks.keys()].sort((a, b) => (idRanks[a] as number) - (idRanks[b] as number));
  let rank = 0;
  for (const workflow of order) {
    for (let text = starts[workflow] as number; text < (starts[workflow + 1] as number); text += 1) {
      ranks[text] = rank;
      rank += 1;
    }
  }
  return ranks;
}

/** Positions from `from` to before `to`. */
export const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
