import type { Workflow } from "../domain/catalog.js";
import type { LexicalSettings } from "../domain/model.js";
import { ContractIndex } from "../retrieval/lexical/contract-index.js";
import type { PartKind } from "../serializer/contract-parts.js";

const partKinds: readonly PartKind[] = ["name", "description", "capability", "example", "exclusion"];
const exampleKind = partKinds.indexOf("example");
const exclusionKind = partKinds.indexOf("exclusion");

/** Similarities of a text with the parts of each workflow, shape (workflows) each, values in [0, 1]. */
export interface PartSummary {
  /** Best part of each kind, 0 where a workflow has none. */
  readonly best: Readonly<Record<PartKind, Float64Array>>;
  /** Second and third best example. */
  readonly secondExample: Float64Array;
  readonly thirdExample: Float64Array;
  /** Best part that is not an exclusion. */
  readonly bestPositive: Float64Array;
}

/** Summarises, per workflow, how much a text resembles each kind of contract part. */
export class PartSimilarities {
  private readonly index: ContractIndex;
  /** Position of each part's workflow and of its kind in `partKinds`, shape (parts). */
  private readonly workflowOf: Int32Array;
  private readonly kindOf: Int32Array;

  constructor(workflows: readonly Workflow[], settings: LexicalSettings) {
    this.index = new ContractIndex(workflows, settings, partKinds);
    this.workflowOf = Int32Array.from(this.index.parts, (part) => part.workflow);
    this.kindOf = Int32Array.from(this.index.parts, (part) => partKinds.indexOf(part.kind));
  }

  of(text: string): PartSummary {
    const { similarities } = this.index.similarities(text);
    const summary = emptySummary(this.index.workflowIds.length);
    const bestOfKind = partKinds.map((kind) => summary.best[kind]);
    const { bestPositive } = summary;
    for (let i = 0; i < similarities.length; i += 1) {
      const similarity = similarities[i] as number;
      if (similarity === 0) continue;
      const workflow = this.workflowOf[i] as number;
      const kind = this.kindOf[i] as number;
      if (kind === exampleKind) insertExample(summary, workflow, similarity);
      else raise(bestOfKind[kind] as Float64Array, workflow, similarity);
      if (kind !== exclusionKind) raise(bestPositive, workflow, similarity);
    }
    return summary;
  }
}

function emptySummary(workflows: number): PartSummary {
  const zeros = (): Float64Array => new Float64Array(workflows);
  return {
    best: { name: zeros(), description: zeros(), capability: zeros(), example: zeros(), exclusion: zeros() },
    secondExample: zeros(),
    thirdExample: zeros(),
    bestPositive: zeros(),
  };
}

function raise(values: Float64Array, position: number, value: number): void {
  if (value > (values[position] as number)) values[position] = value;
}

/** Keeps the three best examples of a workflow in falling order. */
function insertExample(summary: PartSummary, position: number, similarity: number): void {
  const { secondExample, thirdExample } = summary;
  const firstExample = summary.best.example;
  const first = firstExample[position] as number;
  const second = secondExample[position] as number;
  if (similarity > first) {
    firstExample[position] = similarity;
    secondExample[position] = first;
    thirdExample[position] = second;
  } else if (similarity > second) {
    secondExample[position] = similarity;
    thirdExample[position] = second;
  } else raise(thirdExample, position, similarity);
}
