import { readYaml } from "../src/router/catalog/read-yaml.js";
import { RoutingPolicySchema, type RoutingPolicy } from "../src/documents/policy.js";
import { readInput } from "../src/base/files.js";

/** Reads a routing policy from a YAML or JSON file. @throws {SluiceError} FILE_NOT_FOUND, DOCUMENT_INVALID */
export async function readPolicyFile(path: string): Promise<RoutingPolicy> {
  return readYaml(RoutingPolicySchema, await readInput(path), path);
}
