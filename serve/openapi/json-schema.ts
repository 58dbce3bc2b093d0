import type { TSchema } from "typebox";

/** A JSON Schema 2020-12 document, or a part of an OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface NamedSchema {
  readonly name: string;
  readonly schema: TSchema;
  /** Description of each property. */
  readonly words: Readonly<Record<string, string>>;
}

/** The named schemas by name: properties described, and schemas inside others replaced by references. */
export function components(named: readonly NamedSchema[]): Readonly<Record<string, JsonSchema>> {
  const references = new Map(named.map(({ name, schema }) => [JSON.stringify(schema), name]));
  return Object.fromEntries(named.map((entry) => [entry.name, describe(entry, references)]));
}

function describe(entry: NamedSchema, references: ReadonlyMap<string, string>): JsonSchema {
  const plain = JSON.parse(JSON.stringify(entry.schema)) as JsonSchema & { readonly properties: JsonSchema };
  const properties = Object.entries(plain.properties).map(([name, schema]) => {
    const referred = refer(schema, references) as JsonSchema;
    return [name, { ...referred, description: entry.words[name] }] as const;
  });
  return { ...plain, properties: Object.fromEntries(properties) };
}

function refer(value: unknown, references: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => refer(item, references));
  if (typeof value !== "object" || value === null) return value;
  const name = references.get(JSON.stringify(value));
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, refer(item, references)]));
}
