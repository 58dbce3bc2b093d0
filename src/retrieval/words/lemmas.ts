import { lemma } from "./lemma.js";

const wordPattern = /[\p{L}\p{N}$€£]+/gu;
const contraction = /'(?:s|re|ve|ll|d|m)\b/g;

/**
 * Lemmas of a text: without accents, lower case, "n't" as "not", other contractions stripped, digits to 0, rough base
 * forms. Order and repetition are preserved.
 */
export function lemmasOf(text: string): readonly string[] {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[’‘`]/g, "'")
    .replace(/\bwon't\b/g, "will not")
    .replace(/\bcan(?:'t|not)\b/g, "can not")
    .replace(/n't\b/g, " not")
    .replace(contraction, "")
    .replace(/\p{N}/gu, "0");
  return (plain.match(wordPattern) ?? []).map(lemma);
}
