import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { ErrorCode } from "../errors/codes.js";
import { SluiceError } from "../errors/error.js";

export interface SchemaProblem {
  /** JSON pointer of the field, "" for the whole document. */
  readonly path: string;
  readonly rule: string;
  /** 1-based line of the file; absent where the document has no lines. */
  readonly line?: number;
}

/** A document that came from a file with lines. */
export interface PlacedDocument {
  /** How the reader knows it, e.g. a file path. */
  readonly name: string;
  /** Line of the field that a JSON pointer names; null when it cannot be told. */
  readonly lineOf: (path: string) => number | null;
}

interface SchemaFault {
  readonly instancePath: string;
  readonly message: string;
  readonly params?: object;
}

/** What a fault says beside its message, by the kind of the rule. */
interface FaultParameters {
  readonly additionalProperties?: readonly string[];
  /** Values of a closed set. */
  readonly allowedValues?: readonly unknown[];
}

interface Checker {
  Check(value: unknown): boolean;
  Errors(value: unknown): Iterable<SchemaFault>;
}

const compiled = new WeakMap<TSchema, Checker>();

function checkerOf(schema: TSchema): Checker {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const checker = Compile(schema) as unknown as Checker;
  compiled.set(schema, checker);
  return checker;
}

/** Whether a value satisfies a schema. Stops at the first fault, so hostile input costs no more than valid input. */
export function matchesSchema<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return checkerOf(schema).Check(value);
}

/** Problems of a value against a schema: field path and rule, never the value. At most `limit`. */
export function schemaProblems(schema: TSchema, value: unknown, limit = 10): readonly SchemaProblem[] {
  const checker = checkerOf(schema);
  if (checker.Check(value)) return [];
  const problems: SchemaProblem[] = [];
  for (const error of checker.Errors(value)) {
    if (problems.length >= limit) break;
    if (error.message === "schema is false") continue;
    problems.push({ path: error.instancePath, rule: ruleOf(error) });
  }
  return problems;
}

function ruleOf({ message, params }: SchemaFault): string {
  const { additionalProperties: names, allowedValues } = (params ?? {}) as FaultParameters;
  if (names !== undefined) return `unknown field ${names.map((n) => `"${n}"`).join(", ")}`;
  return allowedValues === undefined ? message : `expected one of ${allowedValues.map(String).join(", ")}`;
}

/**
 * Returns `value` typed, or throws with every problem named.
 * @param what  how the reader knows the document, e.g. a file path; problems of a document with lines name them
 * @throws {SluiceError} `code` (default SCHEMA_INVALID); details.problems is `SchemaProblem[]`
 */
export function checkSchema<S extends TSchema>(
  schema: S,
  value: unknown,
  what: string | PlacedDocument,
  code: ErrorCode = "SCHEMA_INVALID",
): Static<S> {
  const found = schemaProblems(schema, value);
  if (found.length === 0) return value as Static<S>;
  const { name, lineOf } = typeof what === "string" ? { name: what, lineOf: () => null } : what;
  const problems = found.map((problem): SchemaProblem => {
    const line = lineOf(problem.path);
    return line === null ? problem : { ...problem, line };
  });
  const lines = problems.map(({ path, rule, line }) => {
    return `${line === undefined ? "" : `line ${line}: `}${path === "" ? "(document)" : path}: ${rule}`;
  });
  throw new SluiceError(code, `${name}: ${lines.join("; ")}`, {
    hint: `Correct ${problems.length === 1 ? "this field" : "these fields"} and run the command again.`,
    details: { problems },
  });
}
