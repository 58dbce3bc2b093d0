import { canonicalJson } from "../digest/canonical-json.js";
import { sha256Hex, type Sha256 } from "../digest/sha256.js";
import { capabilityText } from "./capability-text.js";
import { contractParts } from "./contract-parts.js";
import { contractText } from "./contract-text.js";
import { goldenWorkflows } from "./golden-workflows.js";

export const serializerVersion = "contract-2";

/**
 * Identity of the serializer by what it does, not by its name: the digest of everything it makes of the golden
 * workflows. Training, evaluation and serving write workflows through this folder only.
 */
export function serializerIdentity(): { readonly version: string; readonly goldenSha256: Sha256 } {
  const golden = goldenWorkflows.map((workflow) => ({
    parts: contractParts(workflow),
    capability: capabilityText(workflow),
    contract: contractText(workflow),
  }));
  return { version: serializerVersion, goldenSha256: sha256Hex(canonicalJson(golden)) };
}
