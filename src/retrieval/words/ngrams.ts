/** n-grams of the words of one text, with repetition. */
export interface Ngrams {
  /** Words and adjacent word pairs. */
  readonly words: readonly string[];
  /** Character n-grams inside each word, the word padded with one space per side. */
  readonly chars: readonly string[];
}

/** @param lemmas  see `lemmasOf` */
export function ngramsOf(lemmas: readonly string[], charMin: number, charMax: number): Ngrams {
  return { words: wordNgramsOf(lemmas), chars: lemmas.flatMap((lemma) => charNgramsOf(lemma, charMin, charMax)) };
}

/** Words and adjacent word pairs of one text. */
export function wordNgramsOf(lemmas: readonly string[]): readonly string[] {
  const words = [...lemmas];
  for (let i = 1; i < lemmas.length; i += 1) words.push(`${lemmas[i - 1]} ${lemmas[i]}`);
  return words;
}

/** Character n-grams of one word, padded with one space per side. */
export function charNgramsOf(lemma: string, charMin: number, charMax: number): readonly string[] {
  const padded = ` ${lemma} `;
  if (padded.length <= charMin) return [padded];
  const chars: string[] = [];
  for (let size = charMin; size <= charMax && size <= padded.length; size += 1) {
    for (let start = 0; start + size <= padded.length; start += 1) chars.push(padded.slice(start, start + size));
  }
  return chars;
}
