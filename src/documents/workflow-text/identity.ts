import { canonicalJson } from "../../base/canonical-json.js";
import { sha256Hex, type Sha256 } from "../../base/sha256.js";
import { contractParts, type PartKind } from "./contract-parts.js";
import { contractText } from "./contract-text.js";
import { type Workflow, bareWorkflow } from "../catalog.js";
import type { WorkflowId } from "../primitives.js";

export const serializerVersion = "contract-2";

/**
 * Identifies the serializer by its output instead of a name: the digest of the texts of the golden workflows. Training,
 * evaluation and serving all serialize workflows with this folder.
 */
export function serializerIdentity(): { readonly version: string; readonly goldenSha256: Sha256 } {
  const golden = goldenWorkflows.map((workflow) => ({
    parts: contractParts(workflow),
    capability: capabilityText(workflow),
    contract: contractText(workflow),
  }));
  return { version: serializerVersion, goldenSha256: sha256Hex(canonicalJson(golden)) };
}

const capabilityKinds: readonly PartKind[] = ["name", "description", "capability"];

/**
 * Describes a workflow as one text for an encoder: name, description and capabilities as sentences. Examples are
 * encoded separately. Exclusions are omitted, because they would attract the requests that they exclude.
 */
export function capabilityText(workflow: Workflow): string {
  return contractParts(workflow)
    .filter(({ kind, text }) => capabilityKinds.includes(kind) && text !== "")
    .map(({ text }) => (/[.!?]$/.test(text) ? text : `${text}.`))
    .join(" ");
}

const minimal: Workflow = {
  ...bareWorkflow,
  workflow_id: "golden.minimal" as WorkflowId,
  name: "Minimal",
  description: "Has no more than it must.",
};

const ordinary: Workflow = {
  ...minimal,
  workflow_id: "golden.ordinary" as WorkflowId,
  name: "  Golden   name ",
  description: "A description\nover two lines.",
  owner: "owner",
  risk_tier: "high",
  side_effect: "external_write",
  confirmation: "always",
  capabilities: ["First capability", "Zweite Fähigkeit"],
  exclusions: ["What it does not do", "Nor\tthis"],
  examples: ["an example", "another\texample"],
  required_inputs: [
    { name: "order_number", description: " Number of\nthe order", aliases: ["order"], pattern: "[0-9]+" },
    { name: "bare", description: "", aliases: [], pattern: null },
  ],
  optional_inputs: [{ name: "optional", description: "not shown", aliases: [], pattern: null }],
  event_types: ["golden.event"],
  metadata: { not: "shown" },
};

const numbered = (count: number, text: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${text} ${index + 1}`);

const overlong: Workflow = {
  ...minimal,
  workflow_id: "golden.overlong" as WorkflowId,
  name: "Überlange Verträge",
  description: "Long words in a long description. ".repeat(20),
  side_effect: "destructive",
  confirmation: "always",
  capabilities: numbered(30, "Does something that takes words to say"),
  exclusions: ["Short one", ...numbered(4, "A case that it must never be used for, said at length ".repeat(4).trim())],
  examples: ["🙂".repeat(250), "Never reached"],
  required_inputs: numbered(8, "what the caller must know about it ".repeat(6).trim()).map((description, index) => ({
    name: `input_${index + 1}`,
    description,
    aliases: [],
    pattern: null,
  })),
};

/** Workflows whose texts identify the serializer: a typical one, one that exceeds every budget, and a minimal one. */
export const goldenWorkflows: readonly Workflow[] = [ordinary, overlong, minimal];
