import { counted } from "../domain/number-text.js";
import type { FaultParameters, SchemaFault } from "../domain/check-schema.js";
import { workflowIdGrammar } from "../domain/primitives.js";
import { suggest } from "../errors/suggest.js";
import { stepsOf } from "./yaml-places.js";

/** Longest value that a message repeats, in characters; a longer one is counted. */
const longestShown = 60;

interface RuleParameters extends FaultParameters {
  readonly allowedValue?: unknown;
  readonly requiredProperties?: readonly string[];
  readonly type?: string | readonly string[];
  readonly pattern?: string;
  readonly limit?: number;
}

/**
 * A fault of a file that a person wrote, in words: what was found, what is allowed, and the nearest allowed value.
 * Values are repeated only where the schema expects one of few, or an id; free texts are counted, never repeated.
 * @param known  names of the fields that the object of the fault may have
 */
export function explainFault(fault: SchemaFault, value: unknown, known: readonly string[]): string {
  const rule: RuleParameters = fault.params ?? {};
  const explain = keywordRules[fault.keyword];
  if (explain !== undefined) return explain(rule, value, known);
  return limitRules[fault.keyword]?.(value, rule.limit ?? 0) ?? fault.message;
}

type Explain = (rule: RuleParameters, value: unknown, known: readonly string[]) => string;

/** By the keyword of the schema. */
const keywordRules: Readonly<Record<string, Explain>> = {
  additionalProperties: ({ additionalProperties = [] }, _, known) =>
    additionalProperties.map((name) => unknownField(name, known)).join(", "),
  required: ({ requiredProperties = [] }) => missingFields(requiredProperties.map((name) => `"${name}"`)),
  enum: ({ allowedValues = [] }, value) => oneOf(value, allowedValues),
  const: ({ allowedValue }, value) => `found ${shown(value)}, expected ${JSON.stringify(allowedValue)}`,
  type: ({ type = [] }, value) => wrongType(value, [type].flat()),
  pattern: ({ pattern = "" }, value) => wrongForm(value, pattern),
};

function missingFields(names: readonly string[]): string {
  return names.length === 1 ? `the field ${names.join("")} is missing` : `the fields ${names.join(", ")} are missing`;
}

/** The value that a JSON pointer names; undefined where there is none. */
export function valueAtPointer(document: unknown, pointer: string): unknown {
  return stepsOf(pointer).reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[step] : undefined,
    document,
  );
}

function unknownField(name: string, known: readonly string[]): string {
  const nearest = suggest(name, known);
  const better = nearest === null ? `; the fields are ${known.join(", ")}` : `; did you mean "${nearest}"?`;
  return `unknown field "${name}"${known.length === 0 ? "" : better}`;
}

function oneOf(value: unknown, allowed: readonly unknown[]): string {
  const words = allowed.map(String);
  const nearest = typeof value === "string" ? suggest(value.toLowerCase(), words) : null;
  const better = nearest === null ? "" : `; did you mean "${nearest}"?`;
  return `found ${shown(value)}, expected one of ${words.join(", ")}${better}`;
}

const typeWords: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "fields with values",
  null: "nothing",
};

function wrongType(value: unknown, types: readonly string[]): string {
  const expected = types.map((type) => typeWords[type] ?? type).join(" or ");
  const quoted = types.includes("string") && isPlain(value) ? `; write it in quotes: "${String(value)}"` : "";
  return `found ${kindOf(value)}, expected ${expected}${quoted}`;
}

const isPlain = (value: unknown): boolean => typeof value === "number" || typeof value === "boolean";

function wrongForm(value: unknown, pattern: string): string {
  if (pattern !== workflowIdGrammar.source) return `found ${shown(value)}, expected the form ${pattern}`;
  const plain = typeof value === "string" ? nearestId(value) : null;
  const better = plain === null ? "" : `, e.g. "${plain}"`;
  return `found ${shown(value)}, expected 3 to 128 of a-z, 0-9, "_", "." and "-", a letter first${better}`;
}

/** A valid workflow id similar to this one; null when there is none. */
function nearestId(text: string): string | null {
  const id = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\s+/g, "_")
    .replace(/[^a-z0-9_.-]/g, "");
  return workflowIdGrammar.test(id) ? id : null;
}

const lengthOf = (value: unknown): number => (typeof value === "string" || Array.isArray(value) ? value.length : 0);

const limitRules: Readonly<Record<string, (value: unknown, limit: number) => string>> = {
  minLength: (value, limit) => `found ${counted(lengthOf(value), "character")}, expected at least ${limit}`,
  maxLength: (value, limit) => `found ${counted(lengthOf(value), "character")}, expected at most ${limit}`,
  minItems: (value, limit) => `found a list of ${lengthOf(value)}, expected at least ${limit}`,
  maxItems: (value, limit) => `found a list of ${lengthOf(value)}, expected at most ${limit}`,
  minimum: (value, limit) => `found ${shown(value)}, expected at least ${limit}`,
  maximum: (value, limit) => `found ${shown(value)}, expected at most ${limit}`,
};

/** A value of a closed vocabulary verbatim; anything else by its kind. */
function shown(value: unknown): string {
  const written = JSON.stringify(value);
  const isScalar = value === null || ["string", "number", "boolean"].includes(typeof value);
  return isScalar && written.length <= longestShown ? written : kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "string") return `a text of ${counted(value.length, "character")}`;
  if (typeof value === "object") return "fields with values";
  return `the ${typeof value === "number" ? "number" : "word"} ${JSON.stringify(value)}`;
}
