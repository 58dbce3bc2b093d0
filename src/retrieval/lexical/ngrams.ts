import { wordsOf } from "./words.js";

/** n-grams of one text, with repetition. */
export interface TextNgrams {
  /** Words and adjacent word pairs. */
  readonly words: readonly string[];
  /** Character n-grams inside each word, the word padded with one space per side. */
  readonly chars: readonly string[];
}

export function ngramsOf(text: string, charMin: number, charMax: number): TextNgrams {
  const tokens = wordsOf(text);
  const words = [...tokens];
  for (let i = 1; i < tokens.length; i += 1) words.push(`${tokens[i - 1]} ${tokens[i]}`);
  const chars: string[] = [];
  for (const token of tokens) {
    const padded = ` ${token} `;
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
