import type { SimilaritySettings } from "../../documents/model.js";
import type { SharedMemory } from "../../inference/shared-memory.js";
import type { SparseRows } from "./sparse-rows.js";
import { IntegerList, TermNumbers, pairKey, placeOfKey } from "./term-numbers.js";
import {
  type GroupTerms,
  TermIndex,
  type TermLists,
  type CountedTerms,
  type GroupedTexts,
  mergedRows,
} from "./term-index.js";
import { charNgramsOf, wordsOf } from "./words.js";

type LexicalSettings = Pick<SimilaritySettings, "word_weight" | "char_min" | "char_max">;

/** Number of texts split into n-grams between two pauses. */
const textsPerBlock = 256;

/** Maximum number, and maximum length in characters, of unknown words whose n-grams are cached; takes a few MiB. */
const mostKept = 4096;
const longestKept = 24;

/** Rows of norm 1: one set for words and word pairs, one for character n-grams. */
export interface LexicalRows {
  readonly words: SparseRows;
  readonly chars: SparseRows;
}

/** An index in memory that threads share: one thread builds it, and any thread can open it. */
export interface LexicalToShare {
  readonly textCount: number;
  readonly words: TermsToShare;
  readonly chars: TermsToShare;
  /** N-grams of each word. */
  readonly ngrams: GroupTerms;
}

interface TermsToShare extends TermLists {
  /** Names of the terms as UTF-8, one per line. */
  readonly names: Uint8Array;
}

interface LexicalParts {
  readonly words: TermIndex;
  readonly chars: TermIndex;
  readonly ngrams: GroupTerms;
  readonly textCount: number;
}

/** tf-idf over fixed texts, of words and word pairs, and of the character n-grams of words. */
export class LexicalIndex {
  readonly words: TermIndex;
  readonly chars: TermIndex;
  private readonly ngrams: GroupTerms;
  private readonly textCount: number;
  private readonly settings: LexicalSettings;
  /** Cache of the n-grams of unknown words, because requests share many of these. */
  private readonly ofUnknown = new Map<string, Int32Array>();

  private constructor({ words, chars, ngrams, textCount }: LexicalParts, settings: LexicalSettings) {
    this.words = words;
    this.chars = chars;
    this.ngrams = ngrams;
    this.textCount = textCount;
    this.settings = settings;
  }

  /** Builds an index. @param pause  called between blocks */
  static async create(
    texts: readonly string[],
    settings: LexicalSettings,
    memory: SharedMemory,
    pause: () => Promise<void>,
  ): Promise<LexicalIndex> {
    const words = new WordPairCounts();
    for (const [index, text] of texts.entries()) {
      words.add(wordsOf(text));
      if (index % textsPerBlock === textsPerBlock - 1) await pause();
    }
    const counted = words.counted();
    const ofWords = TermIndex.of(counted, memory);
    await pause();
    const { vocabulary, ngrams } = ngramsOf(ofWords.vocabulary, settings, memory);
    const chars = TermIndex.ofGroups(vocabulary, counted.texts, ngrams, memory);
    return new LexicalIndex({ words: ofWords, chars, ngrams, textCount: texts.length }, settings);
  }

  /** Opens an index that another thread has built in the same memory. */
  static open(
    { textCount, words, chars, ngrams }: LexicalToShare,
    settings: LexicalSettings,
    memory: SharedMemory,
  ): LexicalIndex {
    const opened = (terms: TermsToShare): TermIndex => new TermIndex(namesIn(terms.names), terms, textCount, memory);
    return new LexicalIndex({ words: opened(words), chars: opened(chars), ngrams, textCount }, settings);
  }

  toShare(memory: SharedMemory): LexicalToShare {
    const shared = ({ lists, vocabulary }: TermIndex): TermsToShare => {
      const bytes = Buffer.from(vocabulary.join("\n"));
      const names = memory.bytes(bytes.length);
      names.set(bytes);
      return { ...lists, names };
    };
    return {
      textCount: this.textCount,
      words: shared(this.words),
      chars: shared(this.chars),
      ngrams: this.ngrams,
    };
  }

  wordList(): readonly string[] {
    return this.words.vocabulary;
  }

  /** Position of a word; -1 if no text contains it. */
  placeOf(word: string): number {
    return this.words.placeOf(word);
  }

  /** Rows of the texts, for use with `addProducts` and `gather`. */
  textRows(): LexicalRows {
    return { words: this.words.textRows(), chars: this.chars.textRows() };
  }

  /**
   * Adds the cosine of a new text with every text to `into`, shape (texts).
   * @param words  words of the text, in order
   * @param places  positions of the words
   * @param into  array in the memory of the index
   */
  addCosines(words: readonly string[], places: readonly number[], into: Float32Array): void {
    const { word_weight: wordWeight } = this.settings;
    this.words.addCosines(this.words.rowOfWords(places), wordWeight, into);
    const groups = words.map((word, i) => this.ngramsOf(word, places[i]));
    this.chars.addCosines(this.chars.rowOfGroups(groups), 1 - wordWeight, into);
  }

  /** Positions of the n-grams of a word. @param place  position of the word; -1 for an unknown one */
  private ngramsOf(word: string, place: number): Int32Array {
    const { starts, places } = this.ngrams;
    if (place >= 0) return places.subarray(starts[place], starts[place + 1]);
    const known = this.ofUnknown.get(word);
    if (known !== undefined) return known;
    const { char_min: charMin, char_max: charMax } = this.settings;
    const found = charNgramsOf(word, charMin, charMax).map((ngram) => this.chars.placeOf(ngram));
    const ngrams = Int32Array.from(found.filter((ngram) => ngram >= 0));
    if (word.length > longestKept) return ngrams;
    if (this.ofUnknown.size === mostKept) this.ofUnknown.clear();
    this.ofUnknown.set(word, ngrams);
    return ngrams;
  }
}

/** The n-grams of all words in order, and those of each word by its position. */
function ngramsOf(
  words: readonly string[],
  { char_min: charMin, char_max: charMax }: LexicalSettings,
  memory: SharedMemory,
): { readonly vocabulary: readonly string[]; readonly ngrams: GroupTerms } {
  const numbers = new TermNumbers();
  const ids = new IntegerList();
  const starts = memory.int32(words.length + 1);
  for (const [place, word] of words.entries()) {
    for (const ngram of charNgramsOf(word, charMin, charMax)) ids.push(numbers.idOf(ngram));
    starts[place + 1] = ids.length;
  }
  const { vocabulary, places: placeOf } = numbers.sorted();
  const { values } = ids;
  const places = memory.int32(values.length);
  for (let i = 0; i < values.length; i += 1) places[i] = placeOf[values[i]];
  return { vocabulary, ngrams: { starts, places } };
}

/** Splits the names at line breaks, which no term contains. */
const namesIn = (names: Uint8Array): readonly string[] =>
  names.length === 0 ? [] : Buffer.from(names).toString("utf8").split("\n");

/** Words of texts and their pairs of adjacent words, collected text by text and then numbered once. */
export class WordPairCounts {
  private readonly numbers = new TermNumbers();
  private readonly starts = new IntegerList();
  private readonly words = new IntegerList();

  constructor() {
    this.starts.push(0);
  }

  /** @param words words of one text, in order */
  add(words: readonly string[]): void {
    for (const word of words) this.words.push(this.numbers.idOf(word));
    this.starts.push(this.words.length);
  }

  /** Terms are the sorted words, then the pairs sorted by both words, so nothing depends on the order of the texts. */
  counted(): CountedTerms & { readonly texts: GroupedTexts } {
    const { vocabulary, places } = this.numbers.sorted();
    const words = this.words.values.map((id) => places[id]);
    const texts = { starts: this.starts.values.slice(), groups: words };
    const pairKeys = this.pairKeys(words, vocabulary.length);
    const starts = this.starts.values.slice();
    const terms = new IntegerList();
    for (let text = 0; text + 1 < starts.length; text += 1) {
      const [from, to] = [starts[text], starts[text + 1]];
      starts[text] = terms.length;
      for (let i = from; i < to; i += 1) {
        terms.push(words[i]);
        if (i === from) continue;
        const key = pairKey(words[i - 1], words[i], vocabulary.length);
        terms.push(vocabulary.length + placeOfKey(pairKeys, key));
      }
    }
    starts[starts.length - 1] = terms.length;
    const termCount = vocabulary.length + pairKeys.length;
    return { vocabulary, pairKeys, rows: mergedRows(starts, terms.values, termCount), texts };
  }

  /** Distinct keys of pairs of adjacent words, in ascending order. */
  private pairKeys(words: Int32Array, wordCount: number): Float64Array {
    const starts = this.starts.values;
    const keys = new Float64Array(words.length);
    let count = 0;
    for (let text = 0; text + 1 < starts.length; text += 1) {
      for (let i = starts[text] + 1; i < starts[text + 1]; i += 1, count += 1) {
        keys[count] = pairKey(words[i - 1], words[i], wordCount);
      }
    }
    const sorted = keys.subarray(0, count).sort();
    return sorted.filter((key, i) => i === 0 || key !== sorted[i - 1]);
  }
}
