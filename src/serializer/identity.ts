import { canonicalJson } from "../digest/canonical-json.js";
import { sha256Hex } from "../digest/sha256.js";
import type { Workflow } from "../domain/catalog.js";
import { contractParts } from "./contract-parts.js";

export const serializerVersion = "contract-parts-1";

const goldenWorkflow: Workflow = {
  workflowId: "golden.workflow",
  version: "1.0.0",
  name: "  Golden   name ",
  description: "A description\nover two lines.",
  owner: "owner",
  status: "active",
  riskTier: "high",
  sideEffect: "external_write",
  confirmation: "always",
  capabilities: ["First capability", "Zweite Fähigkeit"],
  exclusions: ["What it does not do"],
  examples: ["an example", "another\texample"],
  requiredInputs: [{ name: "input", description: "described", aliases: [], pattern: null }],
  optionalInputs: [],
  eventTypes: ["golden.event"],
  metadata: {},
};

/**
 * Identity of the serializer by what it does, not by its name: the digest of its output for a fixed workflow.
 */
export function serializerIdentity(): { readonly version: string; readonly goldenSha256: string } {
  return { version: serializerVersion, goldenSha256: sha256Hex(canonicalJson(contractParts(goldenWorkflow))) };
}
