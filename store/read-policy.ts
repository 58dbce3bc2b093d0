import { readYaml } from "../src/router/catalog/read-yaml.js";
import { defaultPolicy, RoutingPolicySchema, type RoutingPolicy } from "../src/documents/policy.js";
import { readInput } from "../src/base/files.js";

/** Reads a routing policy from a YAML or JSON file; words that it does not mention are the default ones. @throws {SluiceError} FILE_NOT_FOUND, DOCUMENT_INVALID */
export async function readPolicyFile(path: string): Promise<RoutingPolicy> {
  const { negation = null, several_wishes = null, language_gate = null } = defaultPolicy;
  return { negation, several_wishes, language_gate, ...readYaml(RoutingPolicySchema, await readInput(path), path) };
}
