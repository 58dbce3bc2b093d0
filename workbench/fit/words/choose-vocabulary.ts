import type { Vocabulary } from "../../../src/retrieval/words/vocabulary.js";
import type { FitData, FitPairs } from "./fit-data.js";
import { lemmaCounts } from "./lemma-texts.js";

/** How often a word must occur in texts that are not the user's. */
const fewest = { dialogue: 2, documents: 20, lexicon: 20 } as const;
/** What one word of a title, heading or definition counts; pairs of intents count as requests. */
const pageWeight = 0.3;

/** Where a lemma was found. */
interface Seen {
  own: boolean;
  lexicon: boolean;
  dialogue: number;
  documents: number;
  weighted: number;
}

/**
 * The lemmas with the largest weighted counts; between equal counts, alphabetical order decides. A lemma counts when
 * it occurs in the user's data (requests and workflows), at least twice in dialogue, at least 20 times in documents,
 * or is a word of the lexicon that was seen at least 20 times. Without corpora and pairs every lemma counts.
 */
export function chooseVocabulary(
  data: FitData,
  size: number,
  lemmasOf: (text: string) => readonly string[],
): Vocabulary {
  const seen = new Map<string, Seen>();
  const at = (lemma: string): Seen => {
    const known = seen.get(lemma);
    if (known !== undefined) return known;
    const fresh: Seen = { own: false, lexicon: false, dialogue: 0, documents: 0, weighted: 0 };
    seen.set(lemma, fresh);
    return fresh;
  };
  const each = (texts: Iterable<string>, visit: (found: Seen) => void): void => {
    for (const text of texts) for (const lemma of lemmasOf(text)) visit(at(lemma));
  };
  each(ownTexts(data), (found) => {
    found.own = true;
    found.weighted += 1;
  });
  each(lexiconTexts(data), (found) => {
    found.lexicon = true;
    found.weighted += 1;
  });
  const { corpora = [], pairs = [] } = data;
  for (const { kind, weight, texts } of corpora) {
    const counts = lemmaCounts(texts);
    for (const [place, lemma] of texts.lemmas.entries()) {
      const count = counts[place] ?? 0;
      if (count === 0) continue;
      const found = at(lemma);
      found[kind] += count;
      found.weighted += weight * count;
    }
  }
  for (const { kind, rows } of pairs) {
    each(pairTexts(kind, rows), (found) => {
      found[kind === "intent" ? "dialogue" : "documents"] += 1;
      found.weighted += kind === "intent" ? 1 : pageWeight;
    });
  }
  const all = corpora.length + pairs.length === 0;
  const ranked = [...seen]
    .filter(([, found]) => all || counts(found))
    .sort(([a, m], [b, n]) => n.weighted - m.weighted || (a < b ? -1 : 1))
    .slice(0, size);
  return {
    lemmas: ranked.map(([lemma]) => lemma),
    counts: ranked.map(([, { weighted }]) => Math.max(1, Math.round(weighted))),
  };
}

function counts({ own, lexicon, dialogue, documents, weighted }: Seen): boolean {
  if (own || dialogue >= fewest.dialogue || documents >= fewest.documents) return true;
  return lexicon && weighted >= fewest.lexicon;
}

function* ownTexts({ requests, workflows }: FitData): Generator<string> {
  for (const { text } of requests) yield text;
  for (const { name, descriptions } of workflows) yield* [name, ...descriptions];
}

function* lexiconTexts({ synsets }: FitData): Generator<string> {
  for (const { lemmas, definition, examples } of synsets) yield* [...lemmas, definition, ...examples];
}

function* pairTexts(kind: FitPairs["kind"], rows: FitPairs["rows"]): Generator<string> {
  for (const [left, right] of rows) yield* kind === "intent" ? [right] : [left, right];
}
