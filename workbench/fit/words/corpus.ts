import { lemmasOf } from "../../../src/retrieval/words/lemmas.js";
import type { Vocabulary } from "../../../src/retrieval/words/vocabulary.js";
import type { FitData, FitWorkflow } from "./fit-data.js";

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

/** The training data as rows of one vocabulary. */
export interface Corpus {
  readonly vocabulary: Vocabulary;
  readonly requests: readonly TokenRequest[];
  readonly workflows: readonly TokenWorkflow[];
  readonly synsets: readonly TokenSynset[];
}

/** The `size` most frequent lemmas of the data; between equal counts, alphabetical order decides. */
export function readCorpus(data: FitData, size: number): Corpus {
  const read = new Map<string, readonly string[]>();
  const counts = new Map<string, number>();
  const lemmasOnce = (text: string): readonly string[] => {
    const lemmas = read.get(text) ?? lemmasOf(text);
    read.set(text, lemmas);
    return lemmas;
  };
  for (const text of textsOf(data)) {
    for (const lemma of lemmasOnce(text)) counts.set(lemma, (counts.get(lemma) ?? 0) + 1);
  }
  const kept = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, size);
  const rowOf = new Map(kept.map(([lemma], row) => [lemma, row]));
  const tokens = (text: string): Tokens => Int32Array.from(lemmasOnce(text).flatMap((lemma) => rowOf.get(lemma) ?? []));
  const position = new Map(data.synsets.map(({ id }, index) => [id, index]));
  return {
    vocabulary: { lemmas: kept.map(([lemma]) => lemma), counts: kept.map(([, count]) => count) },
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
  };
}

const filled = (texts: readonly Tokens[]): readonly Tokens[] => texts.filter(({ length }) => length > 0);

function* textsOf({ requests, workflows, synsets }: FitData): Generator<string> {
  for (const { text } of requests) yield text;
  for (const { name, descriptions } of workflows) yield* [name, ...descriptions];
  for (const { lemmas, definition, examples } of synsets) yield* [...lemmas, definition, ...examples];
}
