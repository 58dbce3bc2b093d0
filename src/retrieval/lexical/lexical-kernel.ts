import type { LexicalSettings } from "../../domain/model.js";
import { ngramsOf } from "./ngrams.js";
import { TfidfIndex } from "./tfidf-index.js";

/** Similarity of one text with every document, and how much of the text the documents know. */
export interface LexicalSimilarities {
  /** Shape (documents), each in [0, 1]. */
  readonly similarities: Float64Array;
  /** Share of the text's distinct words and word pairs that occur in some document, in [0, 1]. */
  readonly knownShare: number;
}

/** Mixture of word and character n-gram cosine similarity over a fixed list of documents. */
export class LexicalKernel {
  readonly documentCount: number;
  private readonly words: TfidfIndex;
  private readonly chars: TfidfIndex;
  private readonly settings: LexicalSettings;

  constructor(documents: readonly string[], settings: LexicalSettings) {
    const ngrams = documents.map((text) => ngramsOf(text, settings.charMin, settings.charMax));
    this.settings = settings;
    this.documentCount = documents.length;
    this.words = new TfidfIndex(ngrams.map((n) => n.words));
    this.chars = new TfidfIndex(ngrams.map((n) => n.chars));
  }

  similarities(text: string): LexicalSimilarities {
    const { words, chars } = ngramsOf(text, this.settings.charMin, this.settings.charMax);
    const similarities = new Float64Array(this.documentCount);
    const wordRow = this.words.rowOf(words);
    this.words.addSimilarities(wordRow.row, this.settings.wordWeight, similarities);
    this.chars.addSimilarities(this.chars.rowOf(chars).row, 1 - this.settings.wordWeight, similarities);
    return { similarities, knownShare: wordRow.knownShare };
  }

  /** Similarities of a document with every document; its own is 1 (or 0 for an empty document). */
  documentSimilarities(document: number): Float64Array {
    const similarities = new Float64Array(this.documentCount);
    this.words.addSimilarities(this.words.documentRow(document), this.settings.wordWeight, similarities);
    this.chars.addSimilarities(this.chars.documentRow(document), 1 - this.settings.wordWeight, similarities);
    return similarities;
  }
}
