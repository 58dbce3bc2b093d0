/** n-grams of the words of one text, with repetition. */
export interface Ngrams {
  /** Words and adjacent word pairs. */
  readonly words: readonly string[];
  /** Character n-grams inside each word, the word padded with one space per side. */
  readonly chars: readonly string[];
}

/** @param lemmas  see `lemmasOf` */
export function ngramsOf(lemmas: readonly string[], charMin: number, charMax: number): Ngrams {
  const words = [...lemmas];
  for (let i = 1; i < lemmas.length; i += 1) words.push(`${lemmas[i - 1]} ${lemmas[i]}`);
  const chars: string[] = [];
  for (const lemma of lemmas) {
    const padded = ` ${lemma} `;
    if (padded.length <= charMin) {
      chars.push(padded);
      continue;
    }
    for (let size = charMin; size <= charMax && size <= padded.length; size += 1) {
      for (let start = 0; start + size <= padded.length; start += 1) chars.push(padded.slice(start, start + size));
    }
  }
  return { words, chars };
}
