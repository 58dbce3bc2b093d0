import type { Workflow } from "../../documents/catalog.js";
import { wordsOf } from "../retrieval/words.js";
import type { CatalogIndex } from "../retrieval/hybrid-retriever.js";

/** Letters of a stem: "invoice", "invoices" and "invoicing" share one, and so do many misspellings. */
const stemLength = 5;

/** How much of a text's stems a workflow's own texts contain. Weights are rarities over workflows; values in [0, 1]. */
export interface StemOverlap {
  /** Weighted share of the text's distinct stems in the parts that say what the workflow does; shape (workflows). */
  readonly covered: Float64Array;
  /** Weighted share that only the workflow's exclusions hold; shape (workflows). */
  readonly onlyExcluded: Float64Array;
}

/** Workflows that hold each stem: those of stem s lie at starts[s] to starts[s + 1], each once. */
interface StemHolders {
  readonly starts: Int32Array;
  readonly workflows: Int32Array;
}

/** Stems of each workflow with an inverse workflow frequency. */
export class WorkflowStems {
  /** Place of each stem in the lists. */
  private readonly places: ReadonlyMap<string, number>;
  private readonly rarities: Float64Array;
  /** Of a stem that no workflow holds. */
  private readonly highestRarity: number;
  private readonly positive: StemHolders;
  /** In an exclusion and in no other part. */
  private readonly onlyExclusion: StemHolders;

  /** @param index  of the texts of these workflows that say what they do */
  constructor(workflows: readonly Workflow[], index: CatalogIndex) {
    const { stems, holders } = stemsOfTexts(index);
    const excluded = stemsOfExclusions(workflows, { stems, holders });
    const all = [...stems.keys(), ...[...excluded.keys()].filter((stem) => !stems.has(stem))];
    this.places = new Map(all.map((stem, place) => [stem, place]));
    this.positive = holdersOf(all.map((_, place) => holders[place] ?? none));
    this.onlyExclusion = holdersOf(all.map((stem) => excluded.get(stem) ?? none));
    const rarityOf = (frequency: number): number => Math.log((1 + workflows.length) / (1 + frequency));
    this.rarities = Float64Array.from(all, (_, place) => rarityOf(holders[place]?.length ?? 0));
    this.highestRarity = rarityOf(0);
  }

  /** Writes the overlap. @param words  of the text @returns share of the text's weight that is in no such part of any workflow */
  writeOverlap(words: readonly string[], { covered, onlyExcluded }: StemOverlap): number {
    covered.fill(0);
    onlyExcluded.fill(0);
    let total = 0;
    let unknown = 0;
    for (const stem of new Set(words.map(stemOf))) {
      const place = this.places.get(stem);
      const rarity = place === undefined ? this.highestRarity : this.rarities[place];
      total += rarity;
      if (place === undefined || isEmptyAt(this.positive, place)) unknown += rarity;
      if (place === undefined) continue;
      addAt(this.positive, place, rarity, covered);
      addAt(this.onlyExclusion, place, rarity, onlyExcluded);
    }
    if (total > 0) for (const values of [covered, onlyExcluded]) divide(values, total);
    return total > 0 ? unknown / total : 1;
  }
}

const none: readonly number[] = [];

const stemOf = (word: string): string => word.slice(0, stemLength);

interface HeldStems {
  /** Place of each stem. */
  readonly stems: ReadonlyMap<string, number>;
  /** Workflows that hold the stem at a place, each once. */
  readonly holders: readonly (readonly number[])[];
}

/** Stems of the texts of an index. Its words are sorted, so that those of one stem follow one another. */
function stemsOfTexts({ words, texts: { starts } }: CatalogIndex): HeldStems {
  const workflowOf = new Int32Array(starts[starts.length - 1]);
  for (let workflow = 0; workflow + 1 < starts.length; workflow += 1)
    workflowOf.fill(workflow, starts[workflow], starts[workflow + 1]);
  const stems = new Map<string, number>();
  const holders: number[][] = [];
  const lastStemOf = new Int32Array(starts.length - 1).fill(-1);
  const { postings } = words.lists;
  for (const [word, spelling] of words.vocabulary.entries()) {
    const stem = stemOf(spelling);
    const place = stems.get(stem) ?? stems.size;
    if (place === stems.size) {
      stems.set(stem, place);
      holders.push([]);
    }
    for (let i = postings.starts[word]; i < postings.starts[word + 1]; i += 1) {
      const workflow = workflowOf[postings.terms[i]];
      if (lastStemOf[workflow] === place) continue;
      lastStemOf[workflow] = place;
      holders[place]?.push(workflow);
    }
  }
  return { stems, holders };
}

/** Workflows with a stem in an exclusion and in none of their texts. */
function stemsOfExclusions(
  workflows: readonly Workflow[],
  { stems, holders }: HeldStems,
): ReadonlyMap<string, readonly number[]> {
  const excluding = new Map<string, number[]>();
  for (const [position, { exclusions }] of workflows.entries()) {
    for (const stem of new Set(exclusions.flatMap((text) => wordsOf(text).map(stemOf)))) {
      const known = excluding.get(stem);
      if (known === undefined) excluding.set(stem, [position]);
      else known.push(position);
    }
  }
  const excluded = new Map<string, readonly number[]>();
  for (const [stem, positions] of excluding) {
    const holding = new Set(holders[stems.get(stem) ?? -1]);
    excluded.set(
      stem,
      positions.filter((position) => !holding.has(position)),
    );
  }
  return excluded;
}

function holdersOf(lists: readonly (readonly number[])[]): StemHolders {
  const starts = new Int32Array(lists.length + 1);
  for (const [place, list] of lists.entries()) starts[place + 1] = starts[place] + list.length;
  const workflows = new Int32Array(starts[lists.length]);
  for (const [place, list] of lists.entries()) workflows.set(list, starts[place]);
  return { starts, workflows };
}

const isEmptyAt = ({ starts }: StemHolders, place: number): boolean => starts[place] === starts[place + 1];

function addAt({ starts, workflows }: StemHolders, place: number, amount: number, values: Float64Array): void {
  for (let i = starts[place]; i < starts[place + 1]; i += 1) values[workflows[i]] += amount;
}

function divide(values: Float64Array, by: number): void {
  for (let i = 0; i < values.length; i += 1) values[i] /= by;
}
