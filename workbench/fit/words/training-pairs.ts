import type { SeededRandom } from "../../../src/stats/seeded-random.js";
import type { Corpus, TokenPairs, Tokens, TokenSynset } from "./corpus.js";
import { type PairKind, pairKinds } from "./fit-data.js";

/** Two texts that mean the same or belong together. */
export interface TextPair {
  readonly left: Tokens;
  readonly right: Tokens;
}

/** Draws the pairs of one step. Pairs of one block are each other's negatives. */
export type DrawPairs = (count: number, random: SeededRandom) => readonly TextPair[];

/** Share of same-workflow pairs whose second text is a name or description. */
const catalogShare = 0.3;

export type BlockKind = "lexicon" | "workflow" | PairKind;

/** Pairs of one kind; those of one step are each other's negatives. */
export interface PairBlock {
  readonly kind: BlockKind;
  readonly draw: DrawPairs;
}

/**
 * The blocks that the data can feed: relations of the lexicon, two requests of one workflow (or its catalog), and one
 * block for each kind of pair file. Intents of other projects are separate from the workflows, where they would be
 * each other's negatives although many mean the same.
 */
export function pairBlocks(corpus: Corpus): readonly PairBlock[] {
  const drawn = [
    { kind: "lexicon" as const, draw: lexiconSource(corpus) },
    { kind: "workflow" as const, draw: workflowSource(corpus) },
    ...pairKinds.map((kind) => {
      const files = corpus.pairs.filter((pairs) => pairs.kind === kind);
      return { kind, draw: kind === "intent" ? intentSource(files) : fileSource(files) };
    }),
  ];
  return drawn.flatMap(({ kind, draw }) => (draw === null ? [] : [{ kind, draw }]));
}

const pick = <T>(items: readonly T[], random: SeededRandom): T => items[random.integer(0, items.length - 1)];

/** A quarter each: example and definition, two synonyms, a lemma and a wider one, a lemma and its definition. */
function lexiconSource({ synsets }: Corpus): DrawPairs | null {
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
      const { from, pair } = draws[index % draws.length];
      const [left, right] = pair(pick(from, random), random);
      return { left: left as Tokens, right: right as Tokens };
    });
}

/** At most one pair of each class of workflows, so that no negative is a positive. */
function workflowSource({ requests, workflows }: Corpus): DrawPairs | null {
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

/** Pairs of rows, all files as one; every row at most once in a step. */
function fileSource(files: readonly TokenPairs[]): DrawPairs | null {
  const pairs = files.flatMap(({ left, right }) =>
    left.flatMap((tokens, row): readonly TextPair[] => {
      const other = right[row] ?? new Int32Array();
      return tokens.length === 0 || other.length === 0 ? [] : [{ left: tokens, right: other }];
    }),
  );
  if (pairs.length < 2) return null;
  return (count, random) => distinctPlaces(pairs.length, count, random).map((place) => pairs[place]);
}

/**
 * Two texts of one group, at most one pair of a group in a step. Files are drawn in proportion to the square root of
 * their number of groups, so that large files do not crowd out small ones.
 */
function intentSource(files: readonly TokenPairs[]): DrawPairs | null {
  const groupsOf = files.map(({ groups, right }) => {
    const texts = new Map<string, Tokens[]>();
    for (const [row, group] of groups.entries()) {
      const tokens = right[row] ?? new Int32Array();
      const known = texts.get(group) ?? [];
      texts.set(group, known);
      if (tokens.length > 0) known.push(tokens);
    }
    return [...texts.values()].filter(({ length }) => length > 1);
  });
  const filled = groupsOf.filter(({ length }) => length > 0);
  const total = filled.reduce((sum, { length }) => sum + Math.sqrt(length), 0);
  if (filled.reduce((sum, { length }) => sum + length, 0) < 2) return null;
  return (count, random) => {
    const pairs: TextPair[] = [];
    for (const groups of filled) {
      const share = Math.max(1, Math.round((count * Math.sqrt(groups.length)) / total));
      for (const place of distinctPlaces(groups.length, share, random)) {
        const group = groups[place];
        const [left = 0, right = 0] = distinctPlaces(group.length, 2, random);
        pairs.push({ left: group[left], right: group[right] });
      }
    }
    return pairs;
  };
}

/** Distinct indexes below `size`: the requested number, or all. */
function distinctPlaces(size: number, count: number, random: SeededRandom): readonly number[] {
  const places = new Set<number>();
  while (places.size < Math.min(count, size)) places.add(random.integer(0, size - 1));
  return [...places];
}
