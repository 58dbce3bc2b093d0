import { CsvError, type Info, parse } from "csv-parse/sync";
import { SluiceError } from "../../../src/base/error.js";
import { textOfCell } from "../../csv-line.js";

/** Line endings of delimited text, longest first; a file may mix them. */
const lineEnds = ["\r\n", "\n", "\r"];

export interface CsvRecord {
  /** 1-based line on which the record ends; a quoted text may span several lines. */
  readonly line: number;
  readonly cells: readonly string[];
}

export interface CsvRules {
  readonly delimiter: string;
  /** Allows quotes within unquoted cells. Default: they are errors. */
  readonly relaxed?: boolean;
  /** Maximum number of records to read. Default: all. */
  readonly most?: number;
}

/**
 * The records of delimited text, including the header; empty lines are skipped.
 * @throws {SluiceError} DOCUMENT_INVALID  with the line, never the text
 */
export function csvRecords(
  file: string,
  text: string,
  { delimiter, relaxed = false, most = -1 }: CsvRules,
): readonly CsvRecord[] {
  try {
    const parsed = parse(text, {
      info: true,
      bom: true,
      record_delimiter: lineEnds,
      skip_empty_lines: true,
      relax_column_count: true,
      relax_quotes: relaxed,
      delimiter,
      to: most,
    }) as unknown as readonly { readonly info: Info; readonly record: readonly string[] }[];
    return parsed.map(({ info, record }) => ({ line: info.lines, cells: record.map(textOfCell) }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.code === "CSV_QUOTE_NOT_CLOSED") {
      throw new SluiceError(
        "DOCUMENT_INVALID",
        `${file}: line ${lineOfOpenQuote(text, delimiter)}: a quote is not closed`,
        {
          hint: "Close the quote, or remove it.",
        },
      );
    }
    // The parser's error contains the record, which is a request text, so only its position is reported.
    const where = typeof error["lines"] === "number" ? `line ${error["lines"]}` : "the end of the file";
    const column = typeof error["column"] === "number" ? ` column ${error["column"] + 1}` : "";
    throw new SluiceError("DOCUMENT_INVALID", `${file}: ${where}${column}: not well-formed CSV (${error.code})`, {
      hint: "Quote texts that contain a delimiter, a quote or a line break, and write a quote inside as two.",
    });
  }
}

/** 1-based line of the last quote that begins a cell and is not closed before a delimiter or a line break. */
function lineOfOpenQuote(text: string, delimiter: string): number {
  let [line, opened, isOpen] = [1, 1, false];
  for (let at = 0; at < text.length; at += 1) {
    const [before, sign, after] = [text[at - 1], text[at], text[at + 1]];
    const isEdge = (one: string | undefined): boolean => one === undefined || one === delimiter || /[\r\n]/.test(one);
    if (sign === "\n") line += 1;
    if (sign !== '"') continue;
    if (isOpen && after === '"') at += 1;
    else if (isOpen && isEdge(after)) isOpen = false;
    else if (!isOpen && isEdge(before)) [isOpen, opened] = [true, line];
  }
  return opened;
}
