import type { SourceInput } from "../material.js";
import { isJsonObject, listAt, textAt } from "../parse-json.js";

/** The properties of a JSON Schema object as inputs, in its order. */
export function inputsOfSchema(schema: unknown): readonly SourceInput[] {
  const properties = isJsonObject(schema) && isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(listAt(schema, "required"));
  return Object.entries(properties).map(([name, property]) => ({
    name,
    description: textAt(property, "description") ?? "",
    required: required.has(name),
  }));
}
