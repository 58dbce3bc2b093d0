import type { Workflow } from "../../documents/catalog.js";
import { wordsOf } from "../retrieval/words.js";
import { contractParts, positiveParts } from "../../documents/workflow-text/contract-parts.js";

/** Letters of a stem: "invoice", "invoices" and "invoicing" share one, and so do many misspellings. */
const stemLength = 5;

/** How much of a text's stems a workflow's own texts contain. Weights are rarities over workflows; values in [0, 1]. */
export interface StemOverlap {
  /** Weighted share of the text's distinct stems in the parts that say what the workflow does; shape (workflows). */
  readonly covered: Float64Array;
  /** Weighted share that only the workflow's exclusions hold; shape (workflows). */
  readonly onlyExcluded: Float64Array;
}

/** Workflows that hold a stem, ascending. */
interface StemHolders {
  readonly positive: number[];
  /** In an exclusion and in no other part. */
  readonly onlyExclusion: number[];
}

/** Stems of each workflow with an inverse workflow frequency. */
export class WorkflowStems {
  private readonly holders = new Map<string, StemHolders>();
  private readonly workflowCount: number;

  constructor(workflows: readonly Workflow[]) {
    this.workflowCount = workflows.length;
    for (const [position, workflow] of workflows.entries()) {
      const positive = stemsOf(positiveParts(workflow).map((part) => part.text));
      for (const stem of positive) this.holdersOf(stem).positive.push(position);
      for (const stem of stemsOf(contractParts(workflow).map((part) => part.text))) {
        if (!positive.has(stem)) this.holdersOf(stem).onlyExclusion.push(position);
      }
    }
  }

  /** Writes the overlap. @param words  of the text @returns share of the text's weight that is in no such part of any workflow */
  writeOverlap(words: readonly string[], { covered, onlyExcluded }: StemOverlap): number {
    covered.fill(0);
    onlyExcluded.fill(0);
    let total = 0;
    let unknown = 0;
    for (const stem of new Set(words.map(stemOf))) {
      const holders = this.holders.get(stem);
      const frequency = holders?.positive.length ?? 0;
      const rarity = Math.log((1 + this.workflowCount) / (1 + frequency));
      total += rarity;
      if (frequency === 0) unknown += rarity;
      if (holders === undefined) continue;
      add(covered, holders.positive, rarity);
      add(onlyExcluded, holders.onlyExclusion, rarity);
    }
    if (total > 0) for (const values of [covered, onlyExcluded]) divide(values, total);
    return total > 0 ? unknown / total : 1;
  }

  private holdersOf(stem: string): StemHolders {
    const known = this.holders.get(stem);
    if (known !== undefined) return known;
    const holders: StemHolders = { positive: [], onlyExclusion: [] };
    this.holders.set(stem, holders);
    return holders;
  }
}

const stemOf = (word: string): string => word.slice(0, stemLength);

function stemsOf(texts: readonly string[]): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const text of texts) for (const word of wordsOf(text)) stems.add(stemOf(word));
  return stems;
}

function add(values: Float64Array, positions: readonly number[], amount: number): void {
  for (const position of positions) values[position] += amount;
}

function divide(values: Float64Array, by: number): void {
  for (let i = 0; i < values.length; i += 1) values[i] /= by;
}
