/** Tokens that one run may hold, filling included: bounds its memory and how long it blocks the thread. */
const maxPaddedTokens = 4096;

/** Rows of one run have similar lengths, so that little of it is filling. */
const fitsBeside = (shortest: number, length: number): boolean => length <= 1.25 * shortest + 4;

/** Cuts rows into runs: sorted by length, equal lengths in the given order. A row too long for any run has its own. */
export function cutIntoRuns<Row>(rows: readonly Row[], lengthOf: (row: Row) => number): readonly (readonly Row[])[] {
  const runs: Row[][] = [];
  let current: Row[] = [];
  let shortest = 0;
  for (const row of rows.toSorted((a, b) => lengthOf(a) - lengthOf(b))) {
    const length = lengthOf(row);
    const fits = fitsBeside(shortest, length) && (current.length + 1) * length <= maxPaddedTokens;
    if (current.length === 0 || !fits) {
      current = [];
      runs.push(current);
      shortest = length;
    }
    current.push(row);
  }
  return runs;
}
