import { toCamel } from "../src/domain/camel.js";
import { schemaProblems } from "../src/domain/check-schema.js";
import { DatasetRowSchema, type DatasetRowWire, type LabelledRequest } from "../src/domain/dataset.js";
import type { ErrorCode } from "../src/errors/codes.js";
import { SluiceError } from "../src/errors/error.js";

/** One fault of one row. `field` is a JSON pointer, "" for the whole row; `line` is 1-based. */
export interface RowProblem {
  readonly line: number;
  readonly field: string;
  readonly rule: string;
  readonly code: "SYNTAX_INVALID" | "SCHEMA_INVALID";
}

type ReadLine =
  | { readonly row: LabelledRequest; readonly problems: readonly [] }
  | { readonly row: null; readonly problems: readonly RowProblem[] };

/** Problems named in the message; the rest is counted. */
const namedProblems = 10;

/**
 * Reads a data set in its own format: UTF-8 JSONL, one row per line, blank lines ignored.
 *
 * @param what  how the reader knows the file, e.g. its path
 * @returns rows in file order; ids are unique
 * @throws {SluiceError} SYNTAX_INVALID, SCHEMA_INVALID with every bad row by line and field; DATASET_EMPTY
 */
export function readJsonl(bytes: Uint8Array, what: string): readonly LabelledRequest[] {
  const rows: LabelledRequest[] = [];
  const problems: RowProblem[] = [];
  const lineOfId = new Map<string, number>();
  for (const [index, content] of decodeUtf8(bytes, what).split("\n").entries()) {
    if (content.trim() === "") continue;
    const line = index + 1;
    const read = readLine(content, line);
    problems.push(...read.problems);
    if (read.row === null) continue;
    const first = lineOfId.get(read.row.id);
    if (first !== undefined) problems.push(schemaProblem(line, "/id", `the same id as line ${first}`));
    lineOfId.set(read.row.id, first ?? line);
    rows.push(read.row);
  }
  if (problems.length > 0) throw problemsError(problems, what);
  if (rows.length === 0) {
    throw new SluiceError("DATASET_EMPTY", `${what}: no rows, expected one JSON object per line`, {
      hint: "Give a file with at least one labelled request.",
    });
  }
  return rows;
}

/** @throws {SluiceError} SYNTAX_INVALID  the bytes are not UTF-8 */
export function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SluiceError("SYNTAX_INVALID", `${what}: not valid UTF-8`, {
      hint: "Save the file as UTF-8 and run the command again.",
      cause,
    });
  }
}

const schemaProblem = (line: number, field: string, rule: string): RowProblem => ({
  line,
  field,
  rule,
  code: "SCHEMA_INVALID",
});

function readLine(content: string, line: number): ReadLine {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    // The parser's own message quotes the text of the row, so it is not passed on.
    return { row: null, problems: [{ line, field: "", rule: "not a JSON value", code: "SYNTAX_INVALID" }] };
  }
  const found = schemaProblems(DatasetRowSchema, value);
  if (found.length > 0) return { row: null, problems: found.map((p) => schemaProblem(line, p.path, p.rule)) };
  const row = toCamel(value as DatasetRowWire);
  if (row.text.trim() === "") return { row: null, problems: [schemaProblem(line, "/text", "only white space")] };
  return { row, problems: [] };
}

function problemsError(problems: readonly RowProblem[], what: string): SluiceError {
  const named = problems
    .slice(0, namedProblems)
    .map((p) => `line ${p.line} ${p.field === "" ? "(row)" : p.field}: ${p.rule}`);
  const more = problems.length > namedProblems ? `; and ${problems.length - namedProblems} more` : "";
  const code: ErrorCode = problems.some((p) => p.code === "SYNTAX_INVALID") ? "SYNTAX_INVALID" : "SCHEMA_INVALID";
  return new SluiceError(code, `${what}: ${named.join("; ")}${more}`, {
    hint: "Correct these rows and run the command again.",
    details: { problems },
  });
}
