import type { Workflow } from "../domain/catalog.js";
import type { LexicalSettings } from "../domain/model.js";
import { ngramsOf, type TextNgrams } from "../retrieval/lexical/ngrams.js";
import { TfidfIndex } from "../retrieval/lexical/tfidf-index.js";
import { contractParts, type PartKind } from "../serializer/contract-parts.js";

/** In the order in which `contractParts` lists the parts of a workflow. */
const partKinds: readonly PartKind[] = ["name", "description", "capability", "example", "exclusion"];

/** Similarities of a text with the parts of each workflow, shape (workflows) each, values in [0, 1]. */
export interface PartSummary {
  /** Best part of each kind, 0 where a workflow has none. */
  readonly best: Readonly<Record<PartKind, Float64Array>>;
  /** Second and third best example. */
  readonly secondExample: Float64Array;
  readonly thirdExample: Float64Array;
  /** Best part that is not an exclusion. */
  readonly bestPositive: Float64Array;
  /** All parts but the exclusions taken as one document, by word and by character n-grams. */
  readonly documentWords: Float64Array;
  readonly documentChars: Float64Array;
}

/**
 * Summarises, per workflow, how much a text resembles each kind of contract part and the contract as a whole. A text
 * may draw its words from several parts; the document then resembles it more than each part does.
 */
export class PartSimilarities {
  private readonly settings: LexicalSettings;
  private readonly workflowCount: number;
  private readonly partCount: number;
  /** Every part of every workflow, then one document per workflow. */
  private readonly words: TfidfIndex;
  private readonly chars: TfidfIndex;
  /** Parts of workflow w and kind k lie at starts[w * kinds + k] to the next start; shape (workflows * kinds + 1). */
  private readonly starts: Int32Array;

  constructor(workflows: readonly Workflow[], settings: LexicalSettings) {
    const contracts = workflows.map((workflow) =>
      contractParts(workflow).map((part) => ({ kind: part.kind, ...ngrams(part.text, settings) })),
    );
    const parts = contracts.flat();
    const indexed = [...parts, ...contracts.map((own) => joined(own.filter((part) => part.kind !== "exclusion")))];
    this.settings = settings;
    this.workflowCount = workflows.length;
    this.partCount = parts.length;
    this.words = new TfidfIndex(indexed.map((document) => document.words));
    this.chars = new TfidfIndex(indexed.map((document) => document.chars));
    const counts = contracts.flatMap((own) => partKinds.map((kind) => own.filter((part) => part.kind === kind).length));
    this.starts = new Int32Array(counts.length + 1);
    for (const [slot, count] of counts.entries()) this.starts[slot + 1] = (this.starts[slot] as number) + count;
  }

  of(text: string): PartSummary {
    const terms = ngrams(text, this.settings);
    const words = cosines(this.words, terms.words);
    const chars = cosines(this.chars, terms.chars);
    const summary: PartSummary = {
      ...emptySummary(this.workflowCount),
      documentWords: words.subarray(this.partCount),
      documentChars: chars.subarray(this.partCount),
    };
    const { wordWeight } = this.settings;
    for (let i = 0; i < this.partCount; i += 1) {
      words[i] = wordWeight * (words[i] as number) + (1 - wordWeight) * (chars[i] as number);
    }
    for (let workflow = 0; workflow < this.workflowCount; workflow += 1) this.summarise(words, workflow, summary);
    return summary;
  }

  private summarise(similarities: Float64Array, workflow: number, summary: PartSummary): void {
    const { best, secondExample, thirdExample, bestPositive } = summary;
    const slot = workflow * partKinds.length;
    const start = (kind: number): number => this.starts[slot + kind] as number;
    const name = largest(similarities, start(0), start(1));
    const description = largest(similarities, start(1), start(2));
    const capability = largest(similarities, start(2), start(3));
    let first = 0;
    let second = 0;
    let third = 0;
    for (let i = start(3); i < start(4); i += 1) {
      const similarity = similarities[i] as number;
      if (similarity <= third) continue;
      third = Math.min(similarity, second);
      second = Math.max(Math.min(similarity, first), second);
      first = Math.max(similarity, first);
    }
    best.name[workflow] = name;
    best.description[workflow] = description;
    best.capability[workflow] = capability;
    best.example[workflow] = first;
    secondExample[workflow] = second;
    thirdExample[workflow] = third;
    best.exclusion[workflow] = largest(similarities, start(4), start(5));
    bestPositive[workflow] = Math.max(name, description, capability, first);
  }
}

const ngrams = (text: string, settings: LexicalSettings): TextNgrams =>
  ngramsOf(text, settings.charMin, settings.charMax);

const joined = (parts: readonly TextNgrams[]): TextNgrams => ({
  words: parts.flatMap((part) => part.words),
  chars: parts.flatMap((part) => part.chars),
});

function cosines(index: TfidfIndex, terms: readonly string[]): Float64Array {
  const values = new Float64Array(index.documentCount);
  index.addSimilarities(index.rowOf(terms).row, 1, values);
  return values;
}

function emptySummary(workflows: number): Omit<PartSummary, "documentWords" | "documentChars"> {
  const zeros = (): Float64Array => new Float64Array(workflows);
  return {
    best: { name: zeros(), description: zeros(), capability: zeros(), example: zeros(), exclusion: zeros() },
    secondExample: zeros(),
    thirdExample: zeros(),
    bestPositive: zeros(),
  };
}

/** Of the values from `from` to before `to`; 0 when there is none. */
function largest(values: Float64Array, from: number, to: number): number {
  let best = 0;
  for (let i = from; i < to; i += 1) best = Math.max(best, values[i] as number);
  return best;
}
