import { command, say, SluiceError } from "../../base/error.js";

/** Version of the functions in this file, recorded in the description of every model that reads words. */
export const normaliserVersion = "words-3";

/**
 * Refuses a model that was made for a different version of the normaliser.
 * @param found  `normaliser` in the description
 * @throws {SluiceError} MODEL_INVALID
 */
export function requireNormaliser(found: string, what: string): void {
  if (found === normaliserVersion) return;
  throw new SluiceError("MODEL_INVALID", `${what}: found the normaliser ${found}, expected ${normaliserVersion}`, {
    hint: say`Describe or fit the model again: ${command`sluice model describe`}, or ${command`sluice model fit`}.`,
  });
}

const wordPattern = /[\p{L}\p{N}$€£]+/gu;

/** Words of a text in order, with repetition: lower case, without accents, digits replaced by 0. */
export function wordsOf(text: string): readonly string[] {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/['’‘`]/g, "")
    .replace(/\p{N}/gu, "0");
  return plain.match(wordPattern) ?? [];
}

/** Character n-grams of a word, padded with one space on each side. */
export function charNgramsOf(word: string, charMin: number, charMax: number): readonly string[] {
  const padded = ` ${word} `;
  if (padded.length <= charMin) return [padded];
  const ngrams: string[] = [];
  for (let size = charMin; size <= charMax && size <= padded.length; size += 1) {
    for (let start = 0; start + size <= padded.length; start += 1) ngrams.push(padded.slice(start, start + size));
  }
  return ngrams;
}
