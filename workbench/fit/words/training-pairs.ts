import type { SeededRandom } from "../../../src/stats/seeded-random.js";
import type { Corpus, Tokens, TokenSynset } from "./corpus.js";

/** Two texts that mean the same or belong together. */
export interface TextPair {
  readonly left: Tokens;
  readonly right: Tokens;
}

/** Draws the pairs of one step. Pairs of one block are each other's negatives. */
export type PairSource = (count: number, random: SeededRandom) => readonly TextPair[];

/** Share of same-workflow pairs whose second text is a name or description. */
const catalogShare = 0.3;

/** The sources that the data can feed: relations of the lexicon, and two requests of one workflow (or its catalog). */
export interface PairSources {
  readonly lexicon: PairSource | null;
  readonly workflow: PairSource | null;
}

export function pairSources(corpus: Corpus): PairSources {
  return { lexicon: lexiconSource(corpus), workflow: workflowSource(corpus) };
}

const pick = <T>(items: readonly T[], random: SeededRandom): T => items[random.integer(0, items.length - 1)] as T;

/** A quarter each: example and definition, two synonyms, a lemma and a wider one, a lemma and its definition. */
function lexiconSource({ synsets }: Corpus): PairSource | null {
  const usable = synsets.filter(({ lemmas, definition }) => lemmas.length > 0 && definition.length > 0);
  const wider = (synset: TokenSynset): readonly Tokens[] => synset.hypernyms.flatMap((at) => synsets[at]?.lemmas ?? []);
  const withExamples = usable.filter(({ examples }) => examples.length > 0);
  const withSynonyms = usable.filter(({ lemmas }) => lemmas.length > 1);
  const withWider = usable.filter((synset) => wider(synset).length > 0);
  const draws = [
    { from: withExamples, pair: (s: TokenSynset, r: SeededRandom) => [pick(s.examples, r), s.definition] as const },
    { from: withSynonyms, pair: (s: TokenSynset, r: SeededRandom) => r.shuffle(s.lemmas) },
    { from: withWider, pair: (s: TokenSynset, r: SeededRandom) => [pick(s.lemmas, r), pick(wider(s), r)] as const },
    { from: usable, pair: (s: TokenSynset, r: SeededRandom) => [pick(s.lemmas, r), s.definition] as const },
  ].filter(({ from }) => from.length > 0);
  if (draws.length === 0) return null;
  return (count, random) =>
    Array.from({ length: count }, (_, index) => {
      const { from, pair } = draws[index % draws.length] as (typeof draws)[number];
      const [left, right] = pair(pick(from, random), random);
      return { left: left as Tokens, right: right as Tokens };
    });
}

/** At most one pair of each class of workflows, so that no negative is a positive. */
function workflowSource({ requests, workflows }: Corpus): PairSource | null {
  const requestsOf = new Map<string, Tokens[]>();
  for (const { tokens, workflow } of requests) {
    if (workflow === null || tokens.length === 0) continue;
    const texts = requestsOf.get(workflow);
    if (texts === undefined) requestsOf.set(workflow, [tokens]);
    else texts.push(tokens);
  }
  const classes = new Map<string, { readonly requests: readonly Tokens[]; readonly catalog: readonly Tokens[] }[]>();
  for (const { id, classKey, texts } of workflows) {
    const own = requestsOf.get(id) ?? [];
    if (own.length < 2) continue;
    const members = classes.get(classKey) ?? [];
    classes.set(classKey, [...members, { requests: own, catalog: texts }]);
  }
  if (classes.size < 2) return null;
  const keys = [...classes.keys()];
  return (count, random) =>
    random
      .shuffle(keys)
      .slice(0, count)
      .map((key) => {
        const member = pick(classes.get(key) ?? [], random);
        const other = pick(classes.get(key) ?? [], random);
        const left = pick(member.requests, random);
        const useCatalog = other.catalog.length > 0 && random.uniform() < catalogShare;
        return { left, right: pick(useCatalog ? other.catalog : other.requests, random) };
      });
}
