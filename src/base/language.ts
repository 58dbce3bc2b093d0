import type { eld as EldSmall } from "eld/small";

/** How the language of a text is read. */
export interface LanguageRule {
  /**
   * By number of words, ascending: a text with so many may be in each language whose score, 0 to 1, is at most `lead` below
   * the best. The language of a shorter text is not read.
   */
  readonly leads: readonly { readonly words: number; readonly lead: number }[];
  /** Share of letters in another script from which these alone are read, however few the words. */
  readonly other_script: number;
}

/** Chosen on nine sets of requests; see "Texts in other languages" in bench/benchmarks.md. */
export const defaultLanguageRule: LanguageRule = {
  leads: [
    { words: 2, lead: 0.3 },
    { words: 3, lead: 0.2 },
    { words: 4, lead: 0.1 },
    { words: 5, lead: 0.05 },
    { words: 6, lead: 0.01 },
  ],
  other_script: 0.2,
};

/** Characters of a text that are read, as by the detector. */
const mostCharacters = 1000;
/** Letters of another script that are no mere symbol or initial. */
const fewestLetters = 2;
/** Languages of scripts in which the detector knows few short words. */
const languageOfScript = [
  ["zh", /\p{Script=Han}/u],
  ["ja", /\p{Script=Hiragana}|\p{Script=Katakana}/u],
  ["ko", /\p{Script=Hangul}/u],
  ["th", /\p{Script=Thai}/u],
] as const;
/** Tag of BCP 47 for a language that nothing here knows. */
const unknownLanguage = "und";
/** Addresses, numbers and names of accounts, which are in no language. */
const codes = /\S*(?:[@\d_/\\]|\p{L}\.\p{L})\S*/gu;
/** Short words without a vowel, such as "pls" and "TV", which say little about a language. */
const abbreviations = /(?<![\p{L}\p{M}])[b-df-hj-np-tv-xz]{2,4}(?![\p{L}\p{M}])/giu;
/** Capitalised words within a sentence, such as streets and titles of films, which are often in another language. */
const properNames = /(?<=[\p{L}\p{M},;:'"-]\s+)\p{Lu}[\p{Ll}\p{M}]+(?:['’-]\p{L}+)*/gu;
/** They are left out where so many other words remain. */
const fewestWithoutNames = 4;
const wordPattern = /[\p{L}\p{M}]+/gu;
const otherScript = /[^\P{L}\p{Script=Latin}]/u;

type Detector = typeof EldSmall;
let detector: Promise<Detector> | null = null;

/** Loads the detector, about 45 MB, in about half a second; `languagesIn` waits for it. */
export function loadLanguageDetector(): Promise<Detector> {
  detector ??= import("eld/small").then(({ eld }) => eld);
  return detector;
}

/**
 * The languages that a text may be in, best first, as ISO 639-1 codes; "und" for an unknown one in another script; none if
 * the text is too short. A text that mixes scripts counts as its words that are not in Latin script, because titles and names
 * often are.
 * @see ELD, an n-gram language detector
 */
export async function languagesIn(text: string, rule: LanguageRule): Promise<readonly string[]> {
  const read = text.slice(0, mostCharacters);
  const words = read.match(wordPattern) ?? [];
  const others = words.filter((word) => otherScript.test(word));
  const letters = lettersIn(others);
  if (letters >= fewestLetters && letters >= rule.other_script * lettersIn(words)) {
    const other = others.join(" ");
    const byScript = languageOfScript.find(([, script]) => script.test(other))?.[0];
    return [(await loadLanguageDetector()).detect(other).language || (byScript ?? unknownLanguage)];
  }
  const withNames = read.replace(codes, " ").replace(abbreviations, " ");
  const withoutNames = withNames.replace(properNames, " ");
  const plain = wordsIn(withoutNames) < fewestWithoutNames ? withNames : withoutNames;
  const count = wordsIn(plain) - others.length;
  const needed = rule.leads.findLast((one) => count >= one.words);
  if (needed === undefined) return [];
  const scores = Object.entries((await loadLanguageDetector()).detect(plain).getScores()).sort(([, a], [, b]) => b - a);
  const least = (scores[0]?.[1] ?? 0) - needed.lead;
  return scores.flatMap(([language, score]) => (score >= least ? language : []));
}

const wordsIn = (text: string): number => text.match(wordPattern)?.length ?? 0;

const lettersIn = (words: readonly string[]): number =>
  words.reduce((sum, word) => sum + (word.match(/\p{L}/gu)?.length ?? 0), 0);

const names = new Intl.DisplayNames(["en"], { type: "language" });

/** The English name of a language, such as "German"; the tag of one without a name. */
export const languageName = (tag: string): string => names.of(tag) ?? tag;

/** Names of languages as a list: "English, German, or Dutch". */
export const languageList = (tags: readonly string[], type: "conjunction" | "disjunction"): string =>
  new Intl.ListFormat("en", { type }).format(tags.map(languageName));

/** The language of a BCP 47 tag without script and region: "de" for "de-AT". */
export const primaryLanguage = (tag: string): string => (tag.split("-", 1)[0] ?? tag).toLowerCase();
