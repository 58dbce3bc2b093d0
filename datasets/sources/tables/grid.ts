import { kindOf } from "../../describe.js";
import { SluiceError } from "../../../src/base/error.js";
import { csvRecords } from "./csv-records.js";
import { speakers } from "../names.js";
import { isJsonObject } from "../parse-json.js";
import { joinedText } from "../plain-text.js";

/** A table whose header has not been determined. */
export interface Grid {
  readonly file: string;
  readonly rows: readonly GridRow[];
}

export interface GridRow {
  /** Position of the row in its file, e.g. "line 3" or "row 7". */
  readonly at: string;
  readonly cells: readonly unknown[];
}

/** The trimmed text of a cell; "" for an empty cell, null for a value that is not text. */
export function cellText(cell: unknown): string | null {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "string") return cell.trim();
  if (typeof cell === "number" || typeof cell === "boolean" || typeof cell === "bigint") return String(cell);
  return null;
}

/** Rows of delimited text, including the header. @throws {SluiceError} DOCUMENT_INVALID  as `csvRecords` */
export const gridOfText = (file: string, text: string, delimiter: string): Grid => ({
  file,
  rows: csvRecords(file, text, { delimiter, relaxed: true }).map(({ line, cells }) => ({ at: `line ${line}`, cells })),
});

/** Maximum depth of nested objects that are read: `message.content.text`. */
const deepest = 4;

/** Maximum number of columns of a table of objects; with more, the keys are not column names. */
const mostColumns = 500;

/**
 * Converts objects to rows. The header is the union of their keys in order of first appearance. Nested fields become
 * columns named by their path; a conversation becomes one column per speaker, with the speaker's last turn.
 */
export function gridOfObjects(file: string, objects: readonly unknown[], place: (index: number) => string): Grid {
  const flat = objects.map((object, index) => {
    if (!isJsonObject(object)) throw notAnObject(file, place(index), object);
    const { vars, assert } = object;
    // Only the variables and assertions of a promptfoo test are used; other fields describe the test.
    return new Map(fieldsOf(isJsonObject(vars) && assert !== undefined ? { vars, assert } : object, ""));
  });
  const columns = columnsOf(flat);
  const rows = flat.map(
    (fields, index): GridRow => ({ at: place(index), cells: [...columns].map((name) => fields.get(name)) }),
  );
  return { file, rows: [{ at: "the header", cells: [...columns] }, ...rows] };
}

/** Number of objects from which a field that few of them have is no column. */
const manyObjects = 1000;
const leastFilled = 0.01;

/** Names of the fields in order of first appearance, so that the table has few empty cells. */
function columnsOf(objects: readonly ReadonlyMap<string, unknown>[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const fields of objects) for (const name of fields.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const least = objects.length < manyObjects ? 1 : leastFilled * objects.length;
  const kept = [...counts].filter(([, count]) => count >= least).map(([name]) => name);
  return new Set(kept.slice(0, mostColumns));
}

/** All non-object values of an object, by path. */
function fieldsOf(object: object, before: string, depth = 1): readonly (readonly [string, unknown])[] {
  return Object.entries(object).flatMap(([key, value]: readonly [string, unknown]) => {
    const name = `${before}${key}`;
    if (isJsonObject(value) && depth < deepest) return fieldsOf(value, `${name}.`, depth + 1);
    const turns = turnsOf(value);
    if (turns !== null) return [...turns].map(([speaker, said]) => [`${name}.${speaker}`, said] as const);
    const intent = entityIntent(key, value);
    return intent === null
      ? [[name, comparedValue(key, value) ?? value] as const]
      : [[`${before}intent`, intent] as const];
  });
}

/** The last turn of each speaker if a list is a conversation, otherwise null. */
export function turnsOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const turns = (value as readonly unknown[]).map((turn) => {
    if (!isJsonObject(turn)) return null;
    const speaker = turn["role"] ?? turn["from"] ?? turn["speaker"];
    if (typeof speaker !== "string" || (speakers[speaker.toLowerCase()] === undefined && turn["content"] === undefined))
      return null;
    return [
      speaker.toLowerCase(),
      joinedText(turn["content"] ?? turn["value"] ?? turn["parts"] ?? turn["text"]),
    ] as const;
  });
  const known = turns.filter((turn) => turn !== null);
  return known.length === turns.length ? new Map(known) : null;
}

/** The intent of a row in the old wit.ai format, which is an entity named `intent`. */
export function entityIntent(key: string, value: unknown): string | null {
  if (key !== "entities" || !Array.isArray(value)) return null;
  const found = (value as readonly unknown[]).find((entity) => isJsonObject(entity) && entity["entity"] === "intent");
  const intent = isJsonObject(found) ? found["value"] : null;
  return typeof intent === "string" ? intent.replace(/^"(.*)"$/, "$1") : null;
}

/** The value that the assertions of a promptfoo test compare with; null for a cell without assertions. */
function comparedValue(key: string, value: unknown): string | null {
  if (key !== "assert" || !Array.isArray(value)) return null;
  const values = (value as readonly unknown[]).flatMap((assertion) => {
    if (!isJsonObject(assertion) || typeof assertion["value"] !== "string") return [];
    const wanted = comparedWith(`${String(assertion["type"])}: ${assertion["value"]}`);
    return wanted === null ? [] : [wanted];
  });
  return new Set(values).size === 1 ? (values[0] ?? null) : "";
}

/**
 * The value that a promptfoo assertion compares the output with: `equals: x`, a bare value, or code with one
 * comparison; null for any other assertion.
 */
export function comparedWith(assertion: string): string | null {
  const [, kind, value = ""] = /^([a-z-]+)(?:\([^)]*\))?:\s*(.*)$/s.exec(assertion) ?? [];
  if (kind === undefined) return assertion === "" ? null : assertion;
  if (kind === "equals" || kind === "iequals") return value.trim() === "" ? null : value.trim();
  if (kind !== "javascript" && kind !== "python") return null;
  const compared = [...value.matchAll(/={2,3}\s*(['"])([^'"]+)\1/g)].map(([, , text]) => text ?? "");
  return compared.length === 1 ? (compared[0] ?? null) : null;
}

function notAnObject(file: string, at: string, value: unknown): SluiceError {
  return new SluiceError("DOCUMENT_INVALID", `${file}: ${at}: found ${kindOf(value)}, expected an object`, {
    hint: 'Write one object for each request, e.g. {"text": "…", "intent": "…"}.',
  });
}
