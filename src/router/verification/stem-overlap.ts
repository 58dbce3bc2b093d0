import type { Workflow } from "../../documents/catalog.js";
import { wordsOf } from "../retrieval/words.js";
import type { CatalogIndex } from "../retrieval/hybrid-retriever.js";

/** Length of a stem in letters: "invoice", "invoices" and "invoicing" share one, as do many misspellings. */
const stemLength = 5;

/**
 * How many of a text's stems also occur in a workflow's texts, weighted by their rarity among workflows; values in [0,
 * 1].
 */
export interface StemOverlap {
  /**
   * Weighted share of the text's distinct stems that occur in the parts stating what the workflow does; shape
   * (workflows).
   */
  readonly covered: Float64Array;
  /** Weighted share that occurs only in the workflow's exclusions; shape (workflows). */
  readonly onlyExcluded: Float64Array;
}

/**
 * Workflows that contain each stem: those of stem s are at starts[s] up to (not including) starts[s + 1], without
 * duplicates.
 */
interface StemHolders {
  readonly starts: Int32Array;
  readonly workflows: Int32Array;
}

/** Stems of each workflow, with inverse workflow frequencies. */
export class WorkflowStems {
  /** Position of each stem in the lists. */
  private readonly places: ReadonlyMap<string, number>;
  private readonly rarities: Float64Array;
  private readonly highestRarity: number;
  private readonly positive: StemHolders;
  /** Stems that occur in an exclusion and in no other part. */
  private readonly onlyExclusion: StemHolders;

  /** @param index index of the texts that state what these workflows do */
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

  /**
   * Writes the overlap. @param words  words of the text @returns weighted share of the text's stems that no workflow
   * contains outside its exclusions
   */
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
  /** Position of each stem. */
  readonly stems: ReadonlyMap<string, number>;
  /** Workflows that contain the stem at a position, without duplicates. */
  readonly holders: readonly (readonly number[])[];
}

/** Stems of the indexed texts. The index has its words sorted, so words with the same stem are adjacent. */
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

/** Workflows that have a stem in an exclusion but in none of their texts. */
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
