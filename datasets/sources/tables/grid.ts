import { kindOf } from "../../describe.js";
import { SluiceError } from "../../../src/base/error.js";
import { csvRecords } from "./csv-records.js";
import { speakers } from "../names.js";
import { isJsonObject, type JsonObject, listAt, textAt } from "../parse-json.js";
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
    if (turns !== null) {
      const called = calledTools(value);
      const columns = [...turns].map(([speaker, said]) => [`${name}.${speaker}`, said] as const);
      return called.length === 0 ? columns : [...columns, [`${before}intent`, called] as const];
    }
    const pairs = namedValues(value);
    if (pairs !== null) return pairs.map(([field, own]) => [`${name}.${field}`, own] as const);
    const intent = entityIntent(key, value);
    return intent === null
      ? [[name, comparedValue(key, value) ?? value] as const]
      : [[`${before}intent`, intent] as const];
  });
}

/** Fields that are written as a list of names and values. */
function namedValues(value: unknown): readonly (readonly [string, unknown])[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const pairs = (value as readonly unknown[]).map((item) => {
    const name = isJsonObject(item) ? (item["id"] ?? item["key"] ?? item["name"] ?? item["field"]) : undefined;
    const own = isJsonObject(item) ? item["value"] : undefined;
    const isPair = (typeof name === "string" || typeof name === "number") && cellText(own ?? null) !== null;
    return isPair ? ([String(name), own] as const) : null;
  });
  const known = pairs.filter((pair) => pair !== null);
  return known.length === pairs.length ? known : null;
}

/** Names of the tools that an assistant calls in a conversation, each once. */
function calledTools(turns: unknown): readonly string[] {
  const calls = (turns as readonly unknown[]).flatMap((turn) => [
    ...listAt(turn, "tool_calls"),
    ...(isJsonObject(turn) ? [turn["function_call"]] : []),
    ...listAt(turn, "content").filter((part) => textAt(part, "type") === "tool_use"),
  ]);
  const nameOf = (call: unknown): string | null =>
    textAt(isJsonObject(call) ? call["function"] : null, "name") ?? textAt(call, "name");
  return [...new Set(calls.flatMap((call) => nameOf(call) ?? []))];
}

/** The speaker of a turn: a role, or the kind of its sender. */
function speakerOf(turn: JsonObject): unknown {
  const sender = turn["sender"] ?? turn["author"];
  const kind = isJsonObject(sender) ? (sender["type"] ?? sender["role"]) : sender;
  return turn["role"] ?? turn["from"] ?? turn["speaker"] ?? kind ?? turn["author_type"] ?? turn["sender_type"];
}

/** The last turn of each speaker if a list is a conversation, otherwise null; of messages with a sender, the first. */
export function turnsOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const isMail = (value as readonly unknown[]).some(
    (turn) => isJsonObject(turn) && isJsonObject(turn["sender"] ?? turn["author"]),
  );
  const turns = (value as readonly unknown[]).map((turn) => {
    if (!isJsonObject(turn)) return null;
    const speaker = speakerOf(turn);
    if (typeof speaker !== "string" || (speakers[speaker.toLowerCase()] === undefined && turn["content"] === undefined))
      return null;
    return [
      speaker.toLowerCase(),
      joinedText(turn["content"] ?? turn["value"] ?? turn["parts"] ?? turn["text"] ?? turn["body"] ?? turn["message"]),
    ] as const;
  });
  const known = turns.filter((turn) => turn !== null);
  if (known.length < turns.length) return null;
  const hasContact = known.some(([speaker]) => speaker === "contact");
  const named = known.map(([speaker, said]) => [hasContact && speaker === "user" ? "agent" : speaker, said] as const);
  return new Map(isMail ? named.toReversed() : named);
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
