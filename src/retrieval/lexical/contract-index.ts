import type { Workflow } from "../../domain/catalog.js";
import type { LexicalSettings } from "../../domain/model.js";
import { type ContractPart, contractParts, type PartKind } from "../../serializer/contract-parts.js";
import { LexicalKernel, type LexicalSimilarities } from "./lexical-kernel.js";

/** A contract part with the position of its workflow. */
interface IndexedPart extends ContractPart {
  readonly workflow: number;
}

/** Lexical similarity of a text with every part of every workflow contract. Workflows keep their given order. */
export class ContractIndex {
  readonly workflowIds: readonly string[];
  /** Workflow position and kind of each part, part order. */
  readonly parts: readonly IndexedPart[];
  private readonly kernel: LexicalKernel;

  /** @param documentPrefix  text in front of every part, exact bytes */
  constructor(
    workflows: readonly Workflow[],
    settings: LexicalSettings,
    kinds: readonly PartKind[],
    documentPrefix = "",
  ) {
    this.workflowIds = workflows.map((w) => w.workflowId);
    this.parts = workflows.flatMap((workflow, position) =>
      contractParts(workflow)
        .filter((part) => kinds.includes(part.kind))
        .map((part) => ({ ...part, workflow: position })),
    );
    this.kernel = new LexicalKernel(
      this.parts.map((part) => documentPrefix + part.text),
      settings,
    );
  }

  /** Shape (parts). */
  similarities(text: string): LexicalSimilarities {
    return this.kernel.similarities(text);
  }

  /** Similarities of a part with every part, shape (parts). */
  partSimilarities(part: number): Float64Array {
    return this.kernel.documentSimilarities(part);
  }
}
