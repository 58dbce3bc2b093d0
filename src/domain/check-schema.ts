import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { ErrorCode } from "../errors/codes.js";
import { SluiceError } from "../errors/error.js";

export interface SchemaProblem {
  /** JSON pointer of the field, "" for the whole document. */
  readonly path: string;
  readonly rule: string;
}

interface Checker {
  Check(value: unknown): boolean;
  Errors(
    value: unknown,
  ): Iterable<{ readonly instancePath: string; readonly message: string; readonly params?: object }>;
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
    const names = (error.params as { additionalProperties?: readonly string[] } | undefined)?.additionalProperties;
    const rule = names === undefined ? error.message : `unknown field ${names.map((n) => `"${n}"`).join(", ")}`;
    problems.push({ path: error.instancePath, rule });
  }
  return problems;
}

/**
 * Returns `value` typed, or throws with every problem named.
 * @param what  how the reader knows the document, e.g. a file path
 * @throws {SluiceError} `code` (default SCHEMA_INVALID); details.problems is `SchemaProblem[]`
 */
export function checkSchema<S extends TSchema>(
  schema: S,
  value: unknown,
  what: string,
  code: ErrorCode = "SCHEMA_INVALID",
): Static<S> {
  const problems = schemaProblems(schema, value);
  if (problems.length === 0) return value as Static<S>;
  const lines = problems.map((p) => `${p.path === "" ? "(document)" : p.path}: ${p.rule}`);
  throw new SluiceError(code, `${what}: ${lines.join("; ")}`, {
    hint: `Correct ${problems.length === 1 ? "this field" : "these fields"} and run the command again.`,
    details: { problems },
  });
}
