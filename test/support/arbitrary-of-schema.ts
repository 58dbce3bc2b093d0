import fc from "fast-check";
import type { TSchema } from "../../src/base/typebox.js";

/** The keywords of JSON Schema that the documents of src/documents use. */
interface Keywords {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** Values that satisfy a schema, for properties over whole documents. Lists are kept short. */
export function arbitraryOf(schema: TSchema): fc.Arbitrary<unknown> {
  const keywords = schema as Keywords;
  if ("const" in keywords) return fc.constant(keywords.const);
  if (keywords.enum !== undefined) return fc.constantFrom(...keywords.enum);
  if (keywords.anyOf !== undefined) return fc.oneof(...keywords.anyOf.map(arbitraryOf));
  if (keywords.type === undefined) return fc.jsonValue();
  const make = byType[keywords.type];
  if (make === undefined) throw new RangeError(`no arbitrary for schema type ${keywords.type}`);
  return make(keywords);
}

const byType: Readonly<Record<string, (keywords: Keywords) => fc.Arbitrary<unknown>>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: ({ minimum = -1000, maximum = 1e9 }) => fc.integer({ min: minimum, max: Math.min(maximum, 1e9) }),
  number: numberOf,
  string: stringOf,
  array: listOf,
  object: objectOf,
};

function numberOf({ minimum, maximum, exclusiveMinimum }: Keywords): fc.Arbitrary<number> {
  const min = exclusiveMinimum === undefined ? (minimum ?? -1e6) : exclusiveMinimum + 1e-6;
  return fc.double({ min, max: maximum ?? 1e6, noNaN: true });
}

function stringOf({ pattern, minLength = 0, maxLength = minLength + 12 }: Keywords): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 12) });
}

function listOf({ items, minItems = 0, maxItems = 3, uniqueItems = false }: Keywords): fc.Arbitrary<unknown> {
  const limits = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) };
  const item = items === undefined ? fc.jsonValue() : arbitraryOf(items);
  return uniqueItems ? fc.uniqueArray(item, limits) : fc.array(item, limits);
}

function objectOf({ properties, required = [], patternProperties }: Keywords): fc.Arbitrary<unknown> {
  const [values] = Object.values(patternProperties ?? {});
  if (values !== undefined) return fc.dictionary(fc.string({ maxLength: 8 }), arbitraryOf(values), { maxKeys: 3 });
  const entries = Object.entries(properties ?? {}).map(([name, schema]) => [name, arbitraryOf(schema)] as const);
  return fc.record(Object.fromEntries(entries), { requiredKeys: [...required], noNullPrototype: true });
}
