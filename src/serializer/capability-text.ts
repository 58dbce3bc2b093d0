import type { Workflow } from "../domain/catalog.js";
import { contractParts, type PartKind } from "./contract-parts.js";

const capabilityKinds: readonly PartKind[] = ["name", "description", "capability"];

/**
 * Description of a workflow as one text for an encoder: name, description and capabilities as sentences. Examples are
 * encoded separately, and exclusions would attract the requests that they exclude.
 */
export function capabilityText(workflow: Workflow): string {
  return contractParts(workflow)
    .filter(({ kind, text }) => capabilityKinds.includes(kind) && text !== "")
    .map(({ text }) => (/[.!?]$/.test(text) ? text : `${text}.`))
    .join(" ");
}
