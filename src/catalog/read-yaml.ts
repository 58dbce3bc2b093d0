import type { Static, TSchema } from "typebox";
import { type SchemaFault, type SchemaProblem, schemaFaults } from "../domain/check-schema.js";
import { SluiceError } from "../errors/error.js";
import { explainFault, valueAtPointer } from "./explain-fault.js";
import { parseYaml } from "./parse-yaml.js";
import { type Place, stepsOf, type YamlPlaces, yamlPlaces } from "./yaml-places.js";

/** A problem of a file that a person wrote, with its place. */
export interface PlacedProblem extends SchemaProblem {
  readonly line?: number;
  readonly column?: number;
}

/**
 * A YAML 1.2 or JSON document that satisfies a schema; problems name line and column, what was found and what is
 * allowed.
 * @param name  how messages call the file
 * @throws {SluiceError} SYNTAX_INVALID
 * @throws {SluiceError} SCHEMA_INVALID  details.problems is `PlacedProblem[]`
 */
export function readYaml<S extends TSchema>(schema: S, bytes: Uint8Array, name: string): Static<S> {
  const value = parseYaml(bytes, name);
  const faults = schemaFaults(schema, value);
  if (faults.length === 0) return value as Static<S>;
  const places = yamlPlaces(bytes);
  const problems = faults.map((fault): PlacedProblem => {
    const known = fieldsAt(schema, fault.instancePath);
    const rule = explainFault(fault, valueAtPointer(value, fault.instancePath), known);
    return { path: fault.instancePath, rule, ...placeOf(fault, places) };
  });
  problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  const lines = problems.map(({ path, rule, ...place }) =>
    placed(place, `${path === "" ? "(document)" : path}: ${rule}`),
  );
  throw new SluiceError("SCHEMA_INVALID", `${name}: ${lines.join("; ")}`, {
    hint: `Correct ${problems.length === 1 ? "this field" : "these fields"} and run the command again.`,
    details: { problems },
  });
}

/** A message with its place before it. */
export function placed({ line, column }: Partial<Place>, message: string): string {
  return line === undefined || column === undefined ? message : `line ${line}, column ${column}: ${message}`;
}

function placeOf({ instancePath, params }: SchemaFault, places: YamlPlaces): Partial<Place> {
  const [unknown] =
    (params as { readonly additionalProperties?: readonly string[] } | undefined)?.additionalProperties ?? [];
  const place = unknown === undefined ? places.valueAt(instancePath) : places.fieldAt(instancePath, unknown);
  return place ?? {};
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** The fields that a schema gives to the object at a JSON pointer; empty where it does not say. */
function fieldsAt(schema: TSchema, pointer: string): readonly string[] {
  let node: SchemaNode | undefined = schema as SchemaNode;
  for (const step of stepsOf(pointer)) node = node?.properties?.[step] ?? node?.items;
  return Object.keys(node?.properties ?? {});
}
