import type { Workflow } from "../domain/catalog.js";
import type { NgramSettings } from "../domain/model.js";
import { TermCounts, TermIndex } from "../retrieval/kernels/term-index.js";
import { lemmasOf } from "../retrieval/words/lemmas.js";
import { type Ngrams, ngramsOf } from "../retrieval/words/ngrams.js";
import { contractParts, type PartKind } from "../serializer/contract-parts.js";

/** In the order in which `contractParts` lists the parts of a workflow. */
const partKinds: readonly PartKind[] = ["name", "description", "capability", "example", "exclusion"];
const exampleKind = partKinds.indexOf("example");
const exclusionKind = partKinds.indexOf("exclusion");

/** Best similarity of a text with the parts of one workflow by kind, in [0, 1]; 0 where it has no such part. */
export interface WorkflowSimilarities extends Readonly<Record<PartKind, number>> {
  /** Mean of the three best examples; a missing one counts 0. */
  readonly threeExamples: number;
}

/** Similarities of a text with a catalog, values in [0, 1]; arrays have shape (workflows). */
export interface MixedSimilarities {
  /** Best part that is not an exclusion. */
  readonly bestPositive: Float32Array;
  /** All parts but the exclusions taken as one document, by word and by character n-grams. */
  readonly documentWords: Float32Array;
  readonly documentChars: Float32Array;
  /** @param workflow  position */
  readonly of: (workflow: number) => WorkflowSimilarities;
}

/**
 * How much a text resembles each kind of contract part and the contract as a whole. A text may draw its words from
 * several parts; the document then resembles it more than each part does.
 */
export class PartSimilarities {
  private readonly settings: NgramSettings;
  private readonly workflowCount: number;
  private readonly partCount: number;
  /** Every part of every workflow, then one document per workflow. */
  private readonly words: TermIndex;
  private readonly chars: TermIndex;
  /** Parts of workflow w and kind k lie at starts[w * kinds + k] to the next start; shape (workflows * kinds + 1). */
  private readonly starts: Int32Array;

  constructor(workflows: readonly Workflow[], settings: NgramSettings) {
    const contracts = workflows.map((workflow) =>
      contractParts(workflow).map((part) => ({ kind: part.kind, ...ngrams(part.text, settings) })),
    );
    const parts = contracts.flat();
    const indexed = [...parts, ...contracts.map((own) => joined(own.filter((part) => part.kind !== "exclusion")))];
    this.settings = settings;
    this.workflowCount = workflows.length;
    this.partCount = parts.length;
    this.words = new TermIndex(TermCounts.of(indexed.map((document) => document.words)));
    this.chars = new TermIndex(TermCounts.of(indexed.map((document) => document.chars)));
    const counts = contracts.flatMap((own) => partKinds.map((kind) => own.filter((part) => part.kind === kind).length));
    this.starts = new Int32Array(counts.length + 1);
    for (const [slot, count] of counts.entries()) this.starts[slot + 1] = this.starts[slot] + count;
  }

  of(text: string): MixedSimilarities {
    const terms = ngrams(text, this.settings);
    const words = cosines(this.words, terms.words);
    const chars = cosines(this.chars, terms.chars);
    const { wordWeight } = this.settings;
    const mixed = new Float32Array(this.partCount);
    for (let i = 0; i < mixed.length; i += 1) {
      mixed[i] = wordWeight * words[i] + (1 - wordWeight) * chars[i];
    }
    return {
      bestPositive: this.bestPositive(mixed),
      documentWords: words.subarray(this.partCount),
      documentChars: chars.subarray(this.partCount),
      of: (workflow) => this.byKind(mixed, workflow),
    };
  }

  private bestPositive(similarities: Float32Array): Float32Array {
    const best = new Float32Array(this.workflowCount);
    for (let workflow = 0; workflow < best.length; workflow += 1) {
      const slot = workflow * partKinds.length;
      best[workflow] = largest(similarities, this.starts[slot], this.starts[slot + exclusionKind]);
    }
    return best;
  }

  private byKind(similarities: Float32Array, workflow: number): WorkflowSimilarities {
    const slot = workflow * partKinds.length;
    const start = (kind: number): number => this.starts[slot + kind];
    const best = (kind: PartKind): number => {
      const position = partKinds.indexOf(kind);
      return largest(similarities, start(position), start(position + 1));
    };
    const examples = similarities.slice(start(exampleKind), start(exampleKind + 1)).sort();
    const [first = 0, second = 0, third = 0] = examples.reverse();
    return {
      name: best("name"),
      description: best("description"),
      capability: best("capability"),
      example: first,
      threeExamples: (first + second + third) / 3,
      exclusion: best("exclusion"),
    };
  }
}

const ngrams = (text: string, settings: NgramSettings): Ngrams =>
  ngramsOf(lemmasOf(text), settings.charMin, settings.charMax);

const joined = (parts: readonly Ngrams[]): Ngrams => ({
  words: parts.flatMap((part) => part.words),
  chars: parts.flatMap((part) => part.chars),
});

function cosines(index: TermIndex, terms: readonly string[]): Float32Array {
  const values = new Float32Array(index.textCount);
  index.addCosines(index.rowOf(terms), 1, values);
  return values;
}

/** Of the values from `from` to before `to`; 0 when there is none. */
function largest(values: Float32Array, from: number, to: number): number {
  let best = 0;
  for (let i = from; i < to; i += 1) {
    const value = values[i];
    if (value > best) best = value;
  }
  return best;
}
