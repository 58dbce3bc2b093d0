import type { Workflow } from "../../domain/catalog.js";
import { capabilityText } from "../../serializer/capability-text.js";
import { contractParts } from "../../serializer/contract-parts.js";

/** The texts that represent a workflow; each becomes one vector. */
export interface IndexedTexts {
  /** What the workflow does. */
  readonly description: string;
  readonly examples: readonly string[];
}

/** @param documentPrefix  put in front of every text, exact bytes */
export function indexedTexts(workflow: Workflow, documentPrefix: string): IndexedTexts {
  const examples = contractParts(workflow).filter(({ kind }) => kind === "example");
  return {
    description: documentPrefix + capabilityText(workflow),
    examples: examples.map(({ text }) => documentPrefix + text),
  };
}
