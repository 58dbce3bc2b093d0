import type { Workflow } from "../domain/catalog.js";
import { contractParts, type PartKind } from "./contract-parts.js";

const capabilityKinds: readonly PartKind[] = ["name", "description", "capability"];

/**
 * What a workflow does, as one text for an encoder: name, description and capabilities as sentences. Examples are
 * encoded one by one, and exclusions would draw in the requests that they refuse.
 */
export function capabilityText(workflow: Workflow): string {
  return contractParts(workflow)
    .filter(({ kind, text }) => capabilityKinds.includes(kind) && text !== "")
    .map(({ text }) => (/[.!?]$/.test(text) ? text : `${text}.`))
    .join(" ");
}
