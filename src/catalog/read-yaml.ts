import type { Static, TSchema } from "typebox";
import { isCollection, LineCounter, type Node, parseDocument } from "yaml";
import { checkSchema } from "../domain/check-schema.js";
import { parseYaml } from "./parse-yaml.js";

/**
 * A YAML 1.2 or JSON document that satisfies a schema; problems name the line in the file.
 * @param name  how messages call the file
 * @throws {SluiceError} SYNTAX_INVALID, SCHEMA_INVALID
 */
export function readYaml<S extends TSchema>(schema: S, bytes: Uint8Array, name: string): Static<S> {
  return checkSchema(schema, parseYaml(bytes, name), { name, lineOf: (path) => lineOf(bytes, path) });
}

/** The line of the value that a JSON pointer names, or of the nearest value around it. Reads the document again. */
function lineOf(bytes: Uint8Array, path: string): number | null {
  const lineCounter = new LineCounter();
  const document = parseDocument(new TextDecoder().decode(bytes), { lineCounter, keepSourceTokens: true });
  const steps = path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let node: Node | null = document.contents;
  for (const step of steps) {
    const next: unknown = isCollection(node) ? node.get(/^\d+$/.test(step) ? Number(step) : step, true) : undefined;
    if (!isPlaced(next)) break;
    node = next;
  }
  return isPlaced(node) ? lineCounter.linePos(node.range[0]).line : null;
}

const isPlaced = (node: unknown): node is Node & { readonly range: readonly [number, number, number] } =>
  typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range);
