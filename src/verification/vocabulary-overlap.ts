import type { Workflow } from "../domain/catalog.js";
import { wordsOf } from "../retrieval/lexical/words.js";
import { positiveParts } from "../serializer/contract-parts.js";

/** How much of a text's vocabulary a workflow's own texts cover. */
export interface VocabularyOverlap {
  /** Share of the text's distinct words, weighted by rarity over workflows, in [0, 1]; one value per workflow. */
  readonly covered: Float64Array;
  /** Share of the text's rarity weight that no workflow knows, in [0, 1]. */
  readonly unknownShare: number;
  readonly distinctWords: number;
}

/** Words of each workflow with an inverse workflow frequency. */
export class WorkflowVocabulary {
  private readonly holders: ReadonlyMap<string, readonly number[]>;
  private readonly workflowCount: number;

  constructor(workflows: readonly Workflow[]) {
    this.workflowCount = workflows.length;
    const holders = new Map<string, number[]>();
    for (const [position, workflow] of workflows.entries()) {
      const words = new Set(positiveParts(workflow).flatMap((part) => wordsOf(part.text)));
      for (const word of words) {
        const list = holders.get(word);
        if (list === undefined) holders.set(word, [position]);
        else list.push(position);
      }
    }
    this.holders = holders;
  }

  overlap(text: string): VocabularyOverlap {
    const covered = new Float64Array(this.workflowCount);
    const words = new Set(wordsOf(text));
    let total = 0;
    let unknown = 0;
    for (const word of words) {
      const holders = this.holders.get(word) ?? [];
      const rarity = Math.log((1 + this.workflowCount) / (1 + holders.length));
      total += rarity;
      if (holders.length === 0) unknown += rarity;
      for (const position of holders) covered[position] = (covered[position] ?? 0) + rarity;
    }
    if (total > 0) for (let i = 0; i < covered.length; i += 1) covered[i] = (covered[i] ?? 0) / total;
    return { covered, unknownShare: total > 0 ? unknown / total : 1, distinctWords: words.size };
  }
}
