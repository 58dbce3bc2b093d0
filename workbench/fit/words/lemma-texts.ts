import { lemmasOf } from "../../../src/retrieval/words/lemmas.js";

/** Lemmas of many texts, four bytes a word: those of text t are words[starts[t]] to words[starts[t + 1]]. */
export interface LemmaTexts {
  /** Every lemma of the texts once; `words` are positions in it. */
  readonly lemmas: readonly string[];
  readonly starts: Int32Array;
  readonly words: Int32Array;
}

/** @param accepts  whether a text is used, by its lemmas; by default all are */
export function lemmaTexts(
  texts: Iterable<string>,
  accepts: (lemmas: readonly string[]) => boolean = () => true,
): LemmaTexts {
  const places = new Map<string, number>();
  const starts = [0];
  let words = new Int32Array(1024);
  let end = 0;
  for (const text of texts) {
    const lemmas = lemmasOf(text);
    if (lemmas.length === 0 || !accepts(lemmas)) continue;
    if (end + lemmas.length > words.length) {
      const larger = new Int32Array(2 * (end + lemmas.length));
      larger.set(words);
      words = larger;
    }
    for (const lemma of lemmas) {
      const place = places.get(lemma) ?? places.size;
      places.set(lemma, place);
      words[end] = place;
      end += 1;
    }
    starts.push(end);
  }
  return { lemmas: [...places.keys()], starts: Int32Array.from(starts), words: words.slice(0, end) };
}

/** How often each lemma stands in the texts, by its position in `lemmas`. */
export function lemmaCounts({ lemmas, words }: LemmaTexts): Float64Array {
  const counts = new Float64Array(lemmas.length);
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** One string for each sequence of lemmas. */
export const sequenceOf = (lemmas: readonly string[]): string => lemmas.join(" ");

/** The texts without those whose sequence of lemmas is in a set. */
export function withoutSequences(texts: LemmaTexts, sequences: ReadonlySet<string>): LemmaTexts {
  const starts = [0];
  const words = new Int32Array(texts.words.length);
  let end = 0;
  for (let text = 0; text + 1 < texts.starts.length; text += 1) {
    const own = texts.words.subarray(texts.starts[text], texts.starts[text + 1]);
    if (sequences.has(sequenceOf(Array.from(own, (word) => texts.lemmas[word] ?? "")))) continue;
    words.set(own, end);
    end += own.length;
    starts.push(end);
  }
  return { lemmas: texts.lemmas, starts: Int32Array.from(starts), words: words.slice(0, end) };
}
