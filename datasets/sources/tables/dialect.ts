import { CsvError, parse } from "csv-parse/sync";

/** How delimited text is cut into cells. */
export interface Dialect {
  readonly delimiter: "," | ";" | "\t" | "|";
}

const delimiters = [",", ";", "\t", "|"] as const;

/** Records that are examined. */
const examinedRecords = 50;
const examinedCharacters = 200_000;

/**
 * The delimiter that cuts the first records into the same number of cells, at least two, most often; ties go to the
 * one that gives more cells. A text in which no delimiter does so has one column, and the comma is returned.
 */
export function detectDialect(text: string): Dialect {
  const head = wholeLines(text.slice(0, examinedCharacters), text.length > examinedCharacters);
  const scored = delimiters.map((delimiter) => ({ delimiter, ...regularity(head, delimiter) }));
  const [best] = scored.toSorted((a, b) => b.share - a.share || b.cells - a.cells);
  return { delimiter: best === undefined || best.cells < 2 ? "," : best.delimiter };
}

/** A quoted text that the cut would leave open is closed by dropping the last line. */
const wholeLines = (text: string, cut: boolean): string => (cut ? text.slice(0, text.lastIndexOf("\n") + 1) : text);

interface Regularity {
  /** Cells of the first record. */
  readonly cells: number;
  /** Share of the examined records that have as many cells as the first one; 0 when that is one. */
  readonly share: number;
}

function regularity(text: string, delimiter: string): Regularity {
  const counts = cellCounts(text, delimiter);
  const cells = counts[0] ?? 0;
  if (cells < 2) return { cells, share: 0 };
  return { cells, share: counts.filter((count) => count === cells).length / counts.length };
}

function cellCounts(text: string, delimiter: string): readonly number[] {
  try {
    const records = parse(text, {
      delimiter,
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      to: examinedRecords,
    }) as unknown as readonly (readonly string[])[];
    return records.map((record) => record.length);
  } catch (error) {
    if (error instanceof CsvError) return [];
    throw error;
  }
}
