import type { Static, TSchema } from "../base/typebox.js";
import { Compile } from "../base/typebox.js";
import type { ErrorCode } from "../base/error-codes.js";
import { SluiceError } from "../base/error.js";

export interface SchemaProblem {
  /** JSON pointer of the field, "" for the whole document. */
  readonly path: string;
  readonly rule: string;
}

/** A fault as reported by the schema library: where, and which rule with its parameters. */
export interface SchemaFault {
  /** Name of the broken rule, e.g. "enum" or "minLength". */
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params?: object;
}

/** Details of a fault beyond its message, depending on the rule. */
export interface FaultParameters {
  readonly additionalProperties?: readonly string[];
  /** Values of a closed set. */
  readonly allowedValues?: readonly unknown[];
}

interface Checker {
  Check(value: unknown): boolean;
  Errors(value: unknown): readonly [holds: boolean, faults: readonly SchemaFault[]];
}

const compiled = new WeakMap<TSchema, Checker>();

function checkerOf(schema: TSchema): Checker {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const checker = Compile(schema) as unknown as Checker;
  compiled.set(schema, checker);
  return checker;
}

/**
 * Whether a value satisfies a schema. Stops at the first fault, so that hostile input costs no more than valid input.
 */
export function matchesSchema<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return checkerOf(schema).Check(value);
}

/** Number of faults after which the schema library stops. */
const mostFaults = 8;

/** What a message adds to a list of faults that may be incomplete. */
export const perhapsMore = (faults: readonly unknown[]): string =>
  faults.length < mostFaults ? "" : "; there may be more";

/** Lists the first faults of a value in document order, for messages about a file that a person wrote. */
export function schemaFaults(schema: TSchema, value: unknown): readonly SchemaFault[] {
  const checker = checkerOf(schema);
  if (checker.Check(value)) return [];
  const [, faults] = checker.Errors(value);
  return faults.filter(({ message }) => message !== "schema is false");
}

/** Lists the first faults of a value as field path and rule, never the value. */
export function schemaProblems(schema: TSchema, value: unknown): readonly SchemaProblem[] {
  return schemaFaults(schema, value).map((fault) => ({ path: fault.instancePath, rule: ruleOf(fault) }));
}

function ruleOf({ message, params }: SchemaFault): string {
  const { additionalProperties: names, allowedValues } = (params ?? {}) as FaultParameters;
  if (names !== undefined) return `unknown field ${names.map((n) => `"${n}"`).join(", ")}`;
  return allowedValues === undefined ? message : `expected one of ${allowedValues.map(String).join(", ")}`;
}

/**
 * Returns `value` with its type, or throws an error that names every problem.
 * @param name  name of the document in messages, e.g. a file path
 * @throws {SluiceError} `code` (default DOCUMENT_INVALID); details.problems is `SchemaProblem[]`
 */
export function checkSchema<S extends TSchema>(
  schema: S,
  value: unknown,
  name: string,
  code: ErrorCode = "DOCUMENT_INVALID",
): Static<S> {
  const problems = schemaProblems(schema, value);
  if (problems.length === 0) return value as Static<S>;
  const lines = problems.map(({ path, rule }) => `${path === "" ? "(document)" : path}: ${rule}`);
  throw new SluiceError(code, `${name}: ${lines.join("; ")}${perhapsMore(lines)}`, {
    hint: `Correct ${problems.length === 1 ? "this field" : "these fields"} and run the command again.`,
    details: { problems },
  });
}
