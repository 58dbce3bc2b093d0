import { type Info, CsvError, parse } from "csv-parse/sync";
import { SluiceError } from "../../../src/errors/error.js";
import { kindOf } from "../../kind-of.js";
import type { Grid, GridRow } from "./grid.js";

/**
 * Rows of delimited text, the header among them. Quotes inside of unquoted cells are kept as they are, so that
 * a spreadsheet exported by hand can be read; empty lines are not rows.
 * @throws {SluiceError} SYNTAX_INVALID  a quoted cell is never closed; the message names the line, never the text
 */
export function gridOfText(file: string, text: string, delimiter: string): Grid {
  try {
    const parsed = parse(text, {
      info: true,
      bom: true,
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }) as unknown as readonly { readonly info: Info; readonly record: readonly string[] }[];
    return { file, rows: parsed.map(({ info, record }) => ({ at: `line ${info.lines}`, cells: record })) };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const where = typeof error["lines"] === "number" ? `line ${error["lines"]}` : "the last line";
    throw new SluiceError("SYNTAX_INVALID", `${file}: ${where}: a quoted cell is not closed (${error.code})`, {
      hint: 'Close the quote, and write a quote inside of a quoted cell as two: "".',
    });
  }
}

/** Rows of objects: the header is the union of their keys, first seen first. */
export function gridOfObjects(file: string, objects: readonly unknown[], place: (index: number) => string): Grid {
  const columns = new Map<string, number>();
  for (const object of objects) {
    if (isRecord(object)) for (const key of Object.keys(object)) if (!columns.has(key)) columns.set(key, columns.size);
  }
  const names = [...columns.keys()];
  const rows = objects.map((object, index): GridRow => {
    if (!isRecord(object)) throw notAnObject(file, place(index), object);
    return { at: place(index), cells: names.map((name) => object[name]) };
  });
  return { file, rows: [{ at: "the header", cells: names }, ...rows] };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function notAnObject(file: string, at: string, value: unknown): SluiceError {
  return new SluiceError("SCHEMA_INVALID", `${file}: ${at}: found ${kindOf(value)}, expected an object`, {
    hint: 'Write one object for each request, e.g. {"text": "…", "intent": "…"}.',
  });
}
