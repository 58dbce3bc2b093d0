import type { Workflow } from "../catalog.js";

/** Kinds of text that a workflow contract holds. */
export type PartKind = "name" | "description" | "capability" | "example" | "exclusion";

export interface ContractPart {
  readonly kind: PartKind;
  readonly text: string;
}

/** White space that is more than single spaces between words. */
const looseSpace = /^\s|\s$|\s\s|[^\S ]/;

/** White space collapsed to single spaces and trimmed. Most texts are so already, and a test is many times faster. */
export const collapseSpace = (text: string): string =>
  looseSpace.test(text) ? text.replace(/\s+/g, " ").trim() : text;

/**
 * The texts of a workflow in fixed order: name, description, capabilities, examples, exclusions.
 * A change here is a change of the serializer's identity.
 */
export function contractParts(workflow: Workflow): readonly ContractPart[] {
  const part = (kind: PartKind) => (text: string) => ({ kind, text: collapseSpace(text) });
  return [
    part("name")(workflow.name),
    part("description")(workflow.description),
    ...workflow.capabilities.map(part("capability")),
    ...workflow.examples.map(part("example")),
    ...workflow.exclusions.map(part("exclusion")),
  ];
}

/** The parts that say what a workflow does; exclusions say what it does not. */
export function positiveParts(workflow: Workflow): readonly ContractPart[] {
  return contractParts(workflow).filter((p) => p.kind !== "exclusion");
}
