/** Levenshtein distance: the number of edits (insert, delete or replace one character) between two words. O(a × b). */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replace, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/**
 * The known word nearest to a mistyped one; null if none is near enough. Allows one edit per three letters, at least
 * one; swapping two adjacent letters counts as one edit. The first of several nearest words wins.
 */
export function suggest(word: string, known: readonly string[]): string | null {
  const most = Math.max(1, Math.floor(word.length / 3));
  let best: { readonly word: string; readonly distance: number } | null = null;
  for (const candidate of known) {
    const distance = isSwapped(word, candidate) ? 1 : editDistance(word, candidate);
    if (best === null || distance < best.distance) best = { word: candidate, distance };
  }
  return best !== null && best.distance <= most && best.distance < word.length ? best.word : null;
}

/** Whether the words differ only by two adjacent letters that are swapped. */
function isSwapped(a: string, b: string): boolean {
  const first = [...a].findIndex((letter, index) => letter !== b[index]);
  const swapped = `${a.slice(0, first)}${a[first + 1] ?? ""}${a[first] ?? ""}${a.slice(first + 2)}`;
  return first >= 0 && swapped === b;
}
