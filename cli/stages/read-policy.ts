import { parseYaml } from "../../src/catalog/parse-yaml.js";
import { checkSchema } from "../../src/domain/check-schema.js";
import { RoutingPolicySchema, type RoutingPolicyWire } from "../../src/domain/policy.js";
import { readInput } from "../read-input.js";

/** A routing policy from a YAML or JSON file. @throws {SluiceError} FILE_NOT_FOUND, SYNTAX_INVALID, SCHEMA_INVALID */
export async function readPolicyFile(path: string): Promise<RoutingPolicyWire> {
  return checkSchema(RoutingPolicySchema, parseYaml(await readInput(path), path), path);
}
