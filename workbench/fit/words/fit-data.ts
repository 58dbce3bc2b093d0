/** A request of the training data. */
export interface FitRequest {
  readonly text: string;
  /** Null for a request that belongs to no workflow: it still shows how people write. */
  readonly workflow: string | null;
}

/** What a catalog says about a workflow. */
export interface FitWorkflow {
  readonly id: string;
  /** Workflows of one class share requests in meaning: never each other's negatives, always in one fold. */
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

/** Everything that word vectors are learned from. */
export interface FitData {
  readonly requests: readonly FitRequest[];
  readonly workflows: readonly FitWorkflow[];
  readonly synsets: readonly FitSynset[];
}
