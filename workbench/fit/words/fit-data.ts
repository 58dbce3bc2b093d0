import type { LemmaTexts } from "./lemma-texts.js";

/** A request of the training data. */
export interface FitRequest {
  readonly text: string;
  /** Null for a request that belongs to no workflow: it still shows how people write. */
  readonly workflow: string | null;
}

/** What a catalog says about a workflow. */
export interface FitWorkflow {
  readonly id: string;
  /** Workflows of one class share requests in meaning: they are never each other's negatives and always in one fold. */
  readonly classKey: string;
  readonly name: string;
  /** Descriptions and other texts that say what it does; may be empty. */
  readonly descriptions: readonly string[];
}

/** A set of synonyms of a lexicon such as WordNet. */
export interface FitSynset {
  readonly id: string;
  readonly lemmas: readonly string[];
  readonly definition: string;
  readonly examples: readonly string[];
  /** Ids of wider synsets. */
  readonly hypernyms: readonly string[];
}

/** Where people write as in requests, and where they write pages: a word must occur more often in pages to count. */
export const corpusKinds = ["dialogue", "documents"] as const;
export type CorpusKind = (typeof corpusKinds)[number];

/** Open text, used for co-occurrence only. */
export interface FitCorpus {
  readonly kind: CorpusKind;
  /** Weight of one of its words; a word of a request weighs 1. */
  readonly weight: number;
  readonly texts: LemmaTexts;
}

/** Kinds of texts that belong together; those of one kind are each other's negatives. */
export const pairKinds = ["intent", "title", "definition", "heading", "synonym"] as const;
export type PairKind = (typeof pairKinds)[number];

/** A file of texts that belong together. */
export interface FitPairs {
  readonly kind: PairKind;
  /**
   * Left and right text. Of kind intent the left one is no text but the name of a group: two right texts of a group mean
   * the same.
   */
  readonly rows: readonly (readonly [left: string, right: string])[];
}

/** Everything that word vectors are learned from. */
export interface FitData {
  readonly requests: readonly FitRequest[];
  readonly workflows: readonly FitWorkflow[];
  readonly synsets: readonly FitSynset[];
  readonly corpora?: readonly FitCorpus[];
  readonly pairs?: readonly FitPairs[];
}
