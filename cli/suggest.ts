/** Edits (insert, delete, replace one character) between two words: Levenshtein distance. O(a × b). */
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

/** The known word nearest to a mistyped one; null when none is within a third of its length. Ties: first. */
export function suggest(word: string, known: readonly string[]): string | null {
  let best: { readonly word: string; readonly distance: number } | null = null;
  for (const candidate of known) {
    const distance = editDistance(word, candidate);
    if (best === null || distance < best.distance) best = { word: candidate, distance };
  }
  return best !== null && best.distance <= Math.max(2, Math.floor(word.length / 3)) ? best.word : null;
}
