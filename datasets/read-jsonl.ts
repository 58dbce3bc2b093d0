import { repeatedField } from "./repeated-field.js";
import { schemaProblems } from "../src/documents/check-schema.js";
import { DatasetRowSchema, type LabelledRequest } from "../src/documents/dataset.js";
import { SluiceError } from "../src/base/error.js";
import { BadRows } from "./bad-rows.js";
import { kindOf } from "./describe.js";
import { deepestNesting, isTooDeep } from "./nesting.js";
import { gunzipSync } from "node:zlib";

/**
 * Reads a dataset in Sluice's format: UTF-8 JSONL, one row per line, blank lines ignored.
 *
 * @param what  how messages refer to the file, e.g. its path
 * @param bad  collects the bad rows that are left out. Default: no bad row is allowed
 * @param kind  whether the rows stand alone, or each follows another one. Default "requests"
 * @returns  rows in file order; ids are unique
 * @throws {SluiceError} DOCUMENT_INVALID  with every bad row by line and field
 */
export function readJsonl(
  bytes: Uint8Array,
  what: string,
  bad: BadRows = new BadRows(),
  kind: RowKind = "requests",
): readonly LabelledRequest[] {
  const rows: LabelledRequest[] = [];
  const lineOfId = new Map<string, number>();
  for (const { line, value } of jsonLines(bytes, what, bad)) {
    const at = `line ${line}`;
    const faults = rowFaults(value, kind);
    const first = faults.length === 0 ? lineOfId.get((value as LabelledRequest).id) : undefined;
    if (first !== undefined) faults.push({ column: "id", rule: `the same id as line ${first}` });
    for (const fault of faults) bad.add({ file: what, at, ...fault });
    if (faults.length > 0) continue;
    const row = value as LabelledRequest;
    lineOfId.set(row.id, line);
    rows.push(row);
  }
  bad.settle();
  if (rows.length === 0) {
    throw new SluiceError("DOCUMENT_INVALID", `${what}: no rows, expected one JSON object per line`, {
      hint: "Use a file with at least one labelled request.",
    });
  }
  return rows;
}

type RowKind = "requests" | "follow-ups";

/** A line of a JSONL file; `line` is 1-based. */
export interface JsonLine {
  readonly line: number;
  readonly value: unknown;
}

/** Yields the values of a UTF-8 JSONL file. Blank lines are skipped; a line that is not JSON is a bad row. */
export function* jsonLines(bytes: Uint8Array, what: string, bad: BadRows): Generator<JsonLine> {
  for (const [index, content] of decodeUtf8(bytes, what).split("\n").entries()) {
    if (content.trim() === "") continue;
    const line = index + 1;
    let value: unknown;
    try {
      value = JSON.parse(content);
    } catch {
      // The parser's message quotes the text of the row, so it is discarded.
      bad.add({ file: what, at: `line ${line}`, column: "", rule: "not a JSON value" });
      continue;
    }
    if (isTooDeep(value)) {
      bad.add({ file: what, at: `line ${line}`, column: "", rule: `nested more than ${deepestNesting} deep` });
      continue;
    }
    const twice = repeatedField(content);
    if (twice !== null) {
      const rule = `the field ${twice} is named twice`;
      bad.add({ file: what, at: `line ${line}`, column: "", rule });
      continue;
    }
    yield { line, value };
  }
}

function rowFaults(value: unknown, kind: RowKind): { readonly column: string; readonly rule: string }[] {
  const found = schemaProblems(DatasetRowSchema, value);
  if (found.length > 0) {
    return found.map(({ path, rule }) => ({
      column: path.slice(1),
      rule: path === "" ? rule : `found ${kindOf(valueAt(value, path))}, ${rule}`,
    }));
  }
  const { text, previous } = value as LabelledRequest;
  if ((previous === undefined) !== (kind === "requests")) {
    const rule =
      kind === "requests"
        ? "found a request that follows another one, expected it in a file of follow-ups (follow_ups in sluice.yaml)"
        : "found none, expected the workflow of the request before it, or null";
    return [{ column: "previous", rule }];
  }
  return text.trim() === "" ? [{ column: "text", rule: "found only white space, expected a request" }] : [];
}

/** The value at a JSON pointer; undefined if there is none. */
function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const step of pointer.split("/").slice(1)) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return at;
}

/** Largest unpacked file: the largest blob of a history. */
const largestUnpackedBytes = 2 ** 29;
const gzipStart = Buffer.from([0x1f, 0x8b]);

/** Decompresses a file if it is gzipped. */
function unpacked(bytes: Uint8Array, file: string): Uint8Array {
  if (!gzipStart.equals(bytes.subarray(0, gzipStart.length))) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: largestUnpackedBytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw new SluiceError("TOO_LARGE", `${file}: unpacks to more than ${largestUnpackedBytes} bytes`, { cause });
    }
    throw new SluiceError("DOCUMENT_INVALID", `${file}: found damaged gzip data, expected a complete file`, {
      cause,
      hint: "Download the file again.",
    });
  }
}

/** Non-empty lines of a text file, without line endings. @throws {SluiceError} DOCUMENT_INVALID */
export function linesOf(bytes: Uint8Array, file: string): readonly string[] {
  return new TextDecoder()
    .decode(unpacked(bytes, file))
    .split(/\r?\n/)
    .filter((line) => line !== "");
}

/** Decodes a file. @throws {SluiceError} DOCUMENT_INVALID  the bytes are not UTF-8 */
export function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SluiceError("DOCUMENT_INVALID", `${what}: not valid UTF-8`, {
      hint: "Save the file as UTF-8 and run the command again.",
      cause,
    });
  }
}
