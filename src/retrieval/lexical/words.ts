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

/** An ending of words longer than `longerThan`, how many letters it loses, and what takes their place. */
interface EndingRule {
  readonly longerThan: number;
  readonly ending: RegExp;
  readonly cut: number;
  readonly add: string;
  /** The rest must hold a vowel, and loses a doubled last consonant. */
  readonly verb: boolean;
}

/** The first rule that fits is applied. */
const endingRules: readonly EndingRule[] = [
  { longerThan: 4, ending: /ies$/, cut: 3, add: "y", verb: false },
  { longerThan: 4, ending: /(?:ss|sh|ch|x|z)es$/, cut: 2, add: "", verb: false },
  { longerThan: 3, ending: /(?<!s|u|i)s$/, cut: 1, add: "", verb: false },
  { longerThan: 5, ending: /ing$/, cut: 3, add: "", verb: true },
  { longerThan: 4, ending: /ied$/, cut: 3, add: "y", verb: false },
  { longerThan: 4, ending: /ed$/, cut: 2, add: "", verb: true },
];

function fits(word: string, rule: EndingRule): boolean {
  if (word.length <= rule.longerThan || !rule.ending.test(word)) return false;
  return !rule.verb || vowel.test(word.slice(0, -rule.cut));
}

/** A rough lemma of one lower-case English word: plural, -ing and -ed endings and irregular forms. */
export function lemma(word: string): string {
  const known = exceptions.get(word);
  if (known !== undefined) return known;
  const rule = endingRules.find((one) => fits(word, one));
  if (rule === undefined) return word;
  const stem = word.slice(0, -rule.cut);
  return rule.verb && doubled.test(stem) ? stem.slice(0, -1) : stem + rule.add;
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
