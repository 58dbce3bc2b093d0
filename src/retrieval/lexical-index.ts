import type { SimilaritySettings } from "../domain/model.js";
import type { SharedMemory } from "../inference/shared-memory.js";
import type { SparseRows } from "./sparse-rows.js";
import { IntegerList } from "./integer-list.js";
import { type GroupTerms, TermIndex, type TermLists } from "./term-index.js";
import { TermNumbers } from "./term-numbers.js";
import { WordPairCounts } from "./word-pairs.js";
import { charNgramsOf, wordsOf } from "./words.js";

type LexicalSettings = Pick<SimilaritySettings, "wordWeight" | "charMin" | "charMax">;

/** Texts that are cut into n-grams between two pauses. */
const textsPerBlock = 256;

/** Rows of norm 1: of words and word pairs, and of character n-grams. */
export interface LexicalRows {
  readonly words: SparseRows;
  readonly chars: SparseRows;
}

/** An index in memory that threads share: what one thread has built, any thread can open. */
export interface LexicalToShare {
  readonly textCount: number;
  readonly words: TermsToShare;
  readonly chars: TermsToShare;
  /** Of each word. */
  readonly ngrams: GroupTerms;
}

interface TermsToShare extends TermLists {
  /** Names of the terms, one a line, as UTF-8. */
  readonly names: Uint8Array;
}

interface LexicalParts {
  readonly words: TermIndex;
  readonly chars: TermIndex;
  readonly ngrams: GroupTerms;
  readonly textCount: number;
}

/** tf-idf over fixed texts: of words and word pairs, and of the character n-grams of words. */
export class LexicalIndex {
  readonly words: TermIndex;
  readonly chars: TermIndex;
  private readonly ngrams: GroupTerms;
  private readonly textCount: number;
  private readonly settings: LexicalSettings;

  private constructor({ words, chars, ngrams, textCount }: LexicalParts, settings: LexicalSettings) {
    this.words = words;
    this.chars = chars;
    this.ngrams = ngrams;
    this.textCount = textCount;
    this.settings = settings;
  }

  /** Builds an index. @param pause  called between blocks of the build */
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

  /** The index that another thread has built in the same memory. */
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

  /** Words of the texts. */
  wordList(): readonly string[] {
    return this.words.vocabulary;
  }

  knows(word: string): boolean {
    return this.words.placeOf(word) >= 0;
  }

  /** Rows of the texts, for `addProducts` and `gather`. */
  textRows(): LexicalRows {
    return { words: this.words.textRows(), chars: this.chars.textRows() };
  }

  /**
   * Adds the cosine of a new text with every text to `into`, shape (texts).
   * @param words  of the text, in order
   * @param into  in the memory of the index
   */
  addCosines(words: readonly string[], into: Float32Array): void {
    const { wordWeight, charMin, charMax } = this.settings;
    const { starts, places: ngrams } = this.ngrams;
    const places = words.map((word) => this.words.placeOf(word));
    this.words.addCosines(this.words.rowOfWords(places), wordWeight, into);
    const groups = words.map((word, i) => {
      const place = places[i];
      return place < 0 ? charNgramsOf(word, charMin, charMax) : ngrams.subarray(starts[place], starts[place + 1]);
    });
    this.chars.addCosines(this.chars.rowOfGroups(groups), 1 - wordWeight, into);
  }
}

/** The n-grams of all words in order, and those of each word by place. */
function ngramsOf(
  words: readonly string[],
  { charMin, charMax }: LexicalSettings,
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

/** No term holds a line break. */
const namesIn = (names: Uint8Array): readonly string[] =>
  names.length === 0 ? [] : Buffer.from(names).toString("utf8").split("\n");
