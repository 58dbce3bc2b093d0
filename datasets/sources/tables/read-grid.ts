import { type Info, CsvError, parse } from "csv-parse/sync";
import { SluiceError } from "../../../src/errors/error.js";
import { textOfCell } from "../../tables/csv-line.js";
import { lineEnds } from "../../tables/line-ends.js";
import type { Grid } from "./grid.js";

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
