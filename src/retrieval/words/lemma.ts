import { irregularForms, plainWords } from "./irregular-forms.js";

const vowel = /[aeiouy]/;
/** One vowel between consonants: had the base form no final e, its last consonant would be doubled. */
const shortStem = /^[^aeiouy]*[aeiouy][^aeiouywx]$/;
const doubledConsonant = /([bdgmnprt])\1$/;

/** Ends of stems that lost an e before -ed and -ing ("arriv", "chang"); where several fit, the longest counts. */
const lostE = endings(`at att bin bl c cad cap cod dher dl fin fl fring g gin gl gnor hal hin i ib id ik ir kl lam lar
  let lin lod min mm mod mpet nam nven om ot par past pil pl plor rad reat ret rfer rod rven s sol sooth tak tast th
  tin tl tor u uad uar ud ul um ur ut v vad vok wast win writ yp z zl it`);
/** Ends of stems that lost nothing although a shorter end of theirs is above. */
const lostNothing = endings(`aid air ait aud aul bang bit dit cit eat eit fit ias icit ing itor ivot ki mit oat ocus oid
  oit ong om oom oot ooth oud our out pret rit roth sit som ss tom treat uit uth zz`);
const longestEnding = 5;

function endings(text: string): ReadonlySet<string> {
  return new Set(text.match(/\S+/g));
}

/** A rough base form of one lower-case English word: plurals, -ed and -ing forms, irregular forms. */
export function lemma(word: string): string {
  const irregular = irregularForms.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length <= 3 || plainWords.has(word)) return word;
  if (word.endsWith("s")) return singular(word);
  if (word.length > 5 && word.endsWith("ing")) return verb(word, word.slice(0, -3));
  if (word.length > 4 && word.endsWith("ied")) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && word.endsWith("ed")) return verb(word, word.slice(0, -2));
  return word;
}

function singular(word: string): string {
  if (/(?:ss|us|is|ics)$/.test(word)) return word;
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|zz|[^aeiou]o)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

/** @param stem  the word without -ed or -ing */
function verb(word: string, stem: string): string {
  if (!vowel.test(stem) || stem.length < 2) return word;
  if (doubledConsonant.test(stem)) return stem.slice(0, -1);
  return shortStem.test(stem) || hasLostE(stem) ? `${stem}e` : stem;
}

function hasLostE(stem: string): boolean {
  for (let length = longestEnding; length > 0; length -= 1) {
    const end = stem.slice(-length);
    if (lostE.has(end)) return true;
    if (lostNothing.has(end)) return false;
  }
  return false;
}
