import type { Workflow } from "../catalog.js";

export type PartKind = "name" | "description" | "capability" | "example" | "exclusion";

export interface ContractPart {
  readonly kind: PartKind;
  readonly text: string;
}

/** Matches white space other than single spaces between words. */
const looseSpace = /^\s|\s$|\s\s|[^\S ]/;

/**
 * Collapses white space to single spaces and trims it. Most texts need no change, and testing is many times faster than
 * replacing.
 */
export const collapseSpace = (text: string): string =>
  looseSpace.test(text) ? text.replace(/\s+/g, " ").trim() : text;

/**
 * The texts of a workflow in a fixed order: name, description, capabilities, examples, exclusions. Any change here
 * changes the identity of the serializer.
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

/** The parts that state what a workflow does; exclusions state what it does not do. */
export function positiveParts(workflow: Workflow): readonly ContractPart[] {
  return contractParts(workflow).filter((p) => p.kind !== "exclusion");
}
