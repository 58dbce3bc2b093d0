import { lemmasOf } from "../../../src/retrieval/words/lemmas.js";
import type { Vocabulary } from "../../../src/retrieval/words/vocabulary.js";
import { chooseVocabulary } from "./choose-vocabulary.js";
import type { FitCorpus, FitData, FitWorkflow, PairKind } from "./fit-data.js";

/** Rows of the vocabulary, in the order of the text; lemmas that the vocabulary lacks are left out. */
export type Tokens = Int32Array;

export interface TokenRequest {
  readonly tokens: Tokens;
  readonly workflow: string | null;
}

export interface TokenSynset {
  /** Tokens of each lemma; those of several words hold several. */
  readonly lemmas: readonly Tokens[];
  readonly definition: Tokens;
  readonly examples: readonly Tokens[];
  /** Positions of wider synsets. */
  readonly hypernyms: readonly number[];
}

export interface TokenWorkflow extends Pick<FitWorkflow, "id" | "classKey"> {
  /** Name, then descriptions; no empty ones. */
  readonly texts: readonly Tokens[];
}

/** Open text as it was read, with the row of each of its lemmas; -1 for one that the vocabulary lacks. */
export interface TokenCorpus extends Pick<FitCorpus, "weight" | "texts"> {
  readonly rows: Int32Array;
}

export interface TokenPairs {
  readonly kind: PairKind;
  /** Group of an intent, the same for equal left texts; of no use for other kinds. */
  readonly groups: readonly string[];
  /** Left texts; empty for intents. */
  readonly left: readonly Tokens[];
  readonly right: readonly Tokens[];
}

/** The training data as rows of one vocabulary. */
export interface Corpus {
  readonly vocabulary: Vocabulary;
  readonly requests: readonly TokenRequest[];
  readonly workflows: readonly TokenWorkflow[];
  readonly synsets: readonly TokenSynset[];
  readonly corpora: readonly TokenCorpus[];
  readonly pairs: readonly TokenPairs[];
}

/** @param size  lemmas of the vocabulary at most, see `chooseVocabulary` */
export function readCorpus(data: FitData, size: number): Corpus {
  const read = new Map<string, readonly string[]>();
  const lemmasOnce = (text: string): readonly string[] => {
    const lemmas = read.get(text) ?? lemmasOf(text);
    read.set(text, lemmas);
    return lemmas;
  };
  const vocabulary = chooseVocabulary(data, size, lemmasOnce);
  const rowOf = new Map(vocabulary.lemmas.map((lemma, row) => [lemma, row]));
  const tokens = (text: string): Tokens => Int32Array.from(lemmasOnce(text).flatMap((lemma) => rowOf.get(lemma) ?? []));
  const position = new Map(data.synsets.map(({ id }, index) => [id, index]));
  return {
    vocabulary,
    requests: data.requests.map(({ text, workflow }) => ({ tokens: tokens(text), workflow })),
    workflows: data.workflows.map(({ id, classKey, name, descriptions }) => {
      return { id, classKey, texts: filled([name, ...descriptions].map(tokens)) };
    }),
    synsets: data.synsets.map(({ lemmas, definition, examples, hypernyms }) => ({
      lemmas: filled(lemmas.map(tokens)),
      definition: tokens(definition),
      examples: filled(examples.map(tokens)),
      hypernyms: hypernyms.flatMap((id) => position.get(id) ?? []),
    })),
    corpora: (data.corpora ?? []).map(({ weight, texts }) => {
      return { weight, texts, rows: Int32Array.from(texts.lemmas, (lemma) => rowOf.get(lemma) ?? -1) };
    }),
    pairs: (data.pairs ?? []).map(({ kind, rows }) => ({
      kind,
      groups: rows.map(([left]) => left),
      left: kind === "intent" ? [] : rows.map(([left]) => tokens(left)),
      right: rows.map(([, right]) => tokens(right)),
    })),
  };
}

const filled = (texts: readonly Tokens[]): readonly Tokens[] => texts.filter(({ length }) => length > 0);
