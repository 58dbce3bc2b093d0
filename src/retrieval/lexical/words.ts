const contraction = /['’](?:s|re|ve|ll|d|m|t)\b/g;
const wordPattern = /[\p{L}\p{N}$€£]+/gu;
const vowel = /[aeiouy]/;

/** Irregular forms and words that the suffix rules would harm. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ["was", "be"],
  ["were", "be"],
  ["is", "be"],
  ["are", "be"],
  ["am", "be"],
  ["been", "be"],
  ["being", "be"],
  ["has", "have"],
  ["had", "have"],
  ["having", "have"],
  ["does", "do"],
  ["did", "do"],
  ["done", "do"],
  ["doing", "do"],
  ["went", "go"],
  ["gone", "go"],
  ["goes", "go"],
  ["made", "make"],
  ["paid", "pay"],
  ["sent", "send"],
  ["bought", "buy"],
  ["lost", "lose"],
  ["broke", "break"],
  ["broken", "break"],
  ["left", "leave"],
  ["told", "tell"],
  ["said", "say"],
  ["got", "get"],
  ["gotten", "get"],
  ["took", "take"],
  ["taken", "take"],
  ["gave", "give"],
  ["given", "give"],
  ["came", "come"],
  ["children", "child"],
  ["people", "person"],
  ["this", "this"],
  ["his", "his"],
  ["its", "its"],
  ["thus", "thus"],
  ["yes", "yes"],
  ["news", "news"],
]);

const doubled = /([bdfgmnprt])\1$/;

function afterEnding(stem: string): string {
  if (doubled.test(stem)) return stem.slice(0, -1);
  return stem;
}

/** A rough lemma of one lower-case English word: plural, -ing and -ed endings and irregular forms. */
export function lemma(word: string): string {
  const known = exceptions.get(word);
  if (known !== undefined) return known;
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith("s") && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1);
  if (word.length > 5 && word.endsWith("ing") && vowel.test(word.slice(0, -3))) return afterEnding(word.slice(0, -3));
  if (word.length > 4 && word.endsWith("ied")) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && word.endsWith("ed") && vowel.test(word.slice(0, -2))) return afterEnding(word.slice(0, -2));
  return word;
}

/**
 * Words of a text: NFKD without accents, lower case, contractions stripped, digits folded to 0, rough lemmas.
 * Order and repetition are kept.
 */
export function wordsOf(text: string): readonly string[] {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(contraction, "")
    .replace(/\p{N}/gu, "0");
  return (plain.match(wordPattern) ?? []).map(lemma);
}
