import type { Workflow } from "../../domain/catalog.js";
import { positiveParts } from "../../serializer/contract-parts.js";

/** The texts that stand for a workflow, each of which becomes one vector. */
export interface IndexedTexts {
  /** What the workflow does: name, description and capabilities. */
  readonly description: string;
  readonly examples: readonly string[];
}

/** @param documentPrefix  put in front of every text, exact bytes */
export function indexedTexts(workflow: Workflow, documentPrefix: string): IndexedTexts {
  const parts = positiveParts(workflow);
  const description = parts.filter(({ kind }) => kind !== "example").map(({ text }) => text);
  return {
    description: documentPrefix + description.join(". "),
    examples: parts.filter(({ kind }) => kind === "example").map(({ text }) => documentPrefix + text),
  };
}
