import type { Corpus, TokenCorpus, Tokens } from "./corpus.js";
import { PairCounts } from "./pair-counts.js";

/** Weights of the ways in which two lemmas can co-occur. */
export interface CoOccurrenceSettings {
  /** Largest distance at which two words of a text co-occur. */
  readonly window: number;
  readonly request: number;
  readonly synonym: number;
  readonly hypernym: number;
  /** A lemma with a word of its definition. */
  readonly defined: number;
  /** Two words of one definition. */
  readonly definition: number;
  readonly example: number;
}

/** Weighted co-occurrence counts of lemmas in the training data. */
export function countCoOccurrences(corpus: Corpus, weights: CoOccurrenceSettings): PairCounts {
  const counts = new PairCounts(corpus.vocabulary.lemmas.length);
  const along = (tokens: Tokens, weight: number): void => {
    for (let i = 0; i < tokens.length; i += 1) {
      const end = Math.min(tokens.length, i + 1 + weights.window);
      for (let j = i + 1; j < end; j += 1) counts.add(tokens[i], tokens[j], weight);
    }
  };
  const across = (left: readonly Tokens[], right: readonly Tokens[], weight: number): void => {
    const others = right.flatMap((tokens) => [...tokens]);
    for (const tokens of left) {
      for (const a of tokens) {
        for (const b of others) if (a !== b) counts.add(a, b, weight / tokens.length);
      }
    }
  };
  for (const tokens of requestTexts(corpus)) along(tokens, weights.request);
  for (const open of corpus.corpora) countOpenText(counts, open, weights);
  for (const { lemmas, definition, examples, hypernyms } of corpus.synsets) {
    for (const [index, lemma] of lemmas.entries()) across([lemma], lemmas.slice(index + 1), weights.synonym);
    for (const wider of hypernyms) across(lemmas, corpus.synsets[wider]?.lemmas ?? [], weights.hypernym);
    across(lemmas, [definition], weights.defined);
    along(definition, weights.definition);
    for (const example of examples) along(example, weights.example);
  }
  return counts;
}

/** Requests, what catalogs say, and requests of other projects. */
function* requestTexts({ requests, workflows, pairs }: Corpus): Generator<Tokens> {
  for (const { tokens } of requests) yield tokens;
  for (const { texts } of workflows) yield* texts;
  for (const { kind, right } of pairs) if (kind === "intent") yield* right;
}

/** As for a request, word by word from the stored texts; words outside the vocabulary take no place in the window. */
function countOpenText(
  counts: PairCounts,
  { texts, rows, weight }: TokenCorpus,
  { window, request }: CoOccurrenceSettings,
): void {
  const { starts, words } = texts;
  const before = new Int32Array(window);
  for (let text = 0; text + 1 < starts.length; text += 1) {
    let seen = 0;
    for (let at = starts[text]; at < starts[text + 1]; at += 1) {
      const row = rows[words[at]];
      if (row < 0) continue;
      for (let i = Math.max(0, seen - window); i < seen; i += 1) {
        counts.add(before[i % window], row, request * weight);
      }
      before[seen % window] = row;
      seen += 1;
    }
  }
}
