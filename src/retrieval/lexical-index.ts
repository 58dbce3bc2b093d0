import type { SimilaritySettings } from "../domain/model.js";
import type { SparseRows } from "./sparse-rows.js";
import { TermCounts, TermIndex } from "./term-index.js";
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

/** tf-idf over fixed texts: of words and word pairs, and of the character n-grams of words. */
export class LexicalIndex {
  readonly words: TermIndex;
  readonly chars: TermIndex;
  private readonly settings: LexicalSettings;

  private constructor(words: WordPairCounts, chars: TermCounts, settings: LexicalSettings) {
    this.words = new TermIndex(words.counted());
    this.chars = new TermIndex(chars.counted());
    this.settings = settings;
  }

  /** @param pause  called between blocks of the build */
  static async create(
    texts: readonly string[],
    settings: LexicalSettings,
    pause: () => Promise<void>,
  ): Promise<LexicalIndex> {
    const [words, chars] = [new WordPairCounts(), new TermCounts()];
    for (const [index, text] of texts.entries()) {
      const own = wordsOf(text);
      words.add(own);
      chars.addGroups(own, (word) => charNgramsOf(word, settings.charMin, settings.charMax));
      if (index % textsPerBlock === textsPerBlock - 1) await pause();
    }
    return new LexicalIndex(words, chars, settings);
  }

  /** Words of the texts. */
  wordList(): readonly string[] {
    return [...this.chars.groupNames()];
  }

  /** Rows of the texts, for `addProducts` and `gather`. */
  textRows(): LexicalRows {
    return { words: this.words.textRows(), chars: this.chars.textRows() };
  }

  /** Adds the cosine of a new text with every text to `into`, shape (texts). @param words  of the text, in order */
  addCosines(words: readonly string[], into: Float32Array): void {
    const { wordWeight, charMin, charMax } = this.settings;
    this.words.addCosines(this.words.rowOfWords(words), wordWeight, into);
    const ofChars = this.chars.rowOfGroups(words, (word) => charNgramsOf(word, charMin, charMax));
    this.chars.addCosines(ofChars, 1 - wordWeight, into);
  }
}
