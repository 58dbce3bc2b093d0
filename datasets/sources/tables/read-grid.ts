import { type Info, CsvError, parse } from "csv-parse/sync";
import { SluiceError } from "../../../src/errors/error.js";
import { kindOf } from "../../kind-of.js";
import { textOfCell } from "../../tables/csv-line.js";
import { lineEnds } from "../../tables/line-ends.js";
import { isJsonObject } from "../parse-json.js";
import type { Grid, GridRow } from "./grid.js";

/**
 * Rows of delimited text, the header among them. Quotes inside unquoted cells are preserved, so that a spreadsheet
 * exported by hand can be read; empty lines are not rows.
 * @throws {SluiceError} SYNTAX_INVALID  a quoted cell is never closed; the message names the line, never the text
 */
export function gridOfText(file: string, text: string, delimiter: string): Grid {
  try {
    const parsed = parse(text, {
      info: true,
      bom: true,
      record_delimiter: [...lineEnds],
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }) as unknown as readonly { readonly info: Info; readonly record: readonly string[] }[];
    return {
      file,
      rows: parsed.map(({ info, record }) => ({ at: `line ${info.lines}`, cells: record.map(textOfCell) })),
    };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const where = typeof error["lines"] === "number" ? `line ${error["lines"]}` : "the last line";
    throw new SluiceError("SYNTAX_INVALID", `${file}: ${where}: a quoted cell is not closed (${error.code})`, {
      hint: 'Close the quote, and write a quote inside a quoted cell as two: "".',
    });
  }
}

/** Depth of nested objects that are read: `message.content.text`. */
const deepest = 4;

/**
 * Rows of objects: the header is the union of their keys, first seen first. Nested fields become separate columns,
 * named by their path.
 */
export function gridOfObjects(file: string, objects: readonly unknown[], place: (index: number) => string): Grid {
  const columns = new Map<string, readonly string[]>();
  for (const object of objects) for (const way of waysInto(object)) columns.set(way.join("."), way);
  const rows = objects.map((object, index): GridRow => {
    if (!isJsonObject(object)) throw notAnObject(file, place(index), object);
    return { at: place(index), cells: [...columns.values()].map((way) => valueAt(object, way)) };
  });
  return { file, rows: [{ at: "the header", cells: [...columns.keys()] }, ...rows] };
}

/** Paths to all non-object values in an object. */
function waysInto(value: unknown, before: readonly string[] = []): readonly (readonly string[])[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const way = [...before, key];
    return isJsonObject(inner) && way.length < deepest ? waysInto(inner, way) : [way];
  });
}

function valueAt(object: unknown, way: readonly string[]): unknown {
  return way.reduce((value, key) => (isJsonObject(value) ? value[key] : undefined), object);
}

function notAnObject(file: string, at: string, value: unknown): SluiceError {
  return new SluiceError("SCHEMA_INVALID", `${file}: ${at}: found ${kindOf(value)}, expected an object`, {
    hint: 'Write one object for each request, e.g. {"text": "…", "intent": "…"}.',
  });
}
