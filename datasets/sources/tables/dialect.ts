import { CsvError, parse } from "csv-parse/sync";
import { lineEnds } from "../../tables/line-ends.js";
import { groupBy } from "../../../src/stats/group-by.js";

/** How delimited text is cut into cells. */
export interface Dialect {
  readonly delimiter: "," | ";" | "\t" | "|";
  /** Most common number of cells in the first records; 1 when no delimiter splits them. */
  readonly cells: number;
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
  return best === undefined || best.cells < 2 ? { delimiter: ",", cells: 1 } : best;
}

/** The last line is dropped where the sample would end inside a quoted text. */
const wholeLines = (text: string, cut: boolean): string => (cut ? text.slice(0, text.lastIndexOf("\n") + 1) : text);

interface Regularity {
  /** Most common number of cells in the examined records; a title above the table has fewer. */
  readonly cells: number;
  /** Share of the examined records that have as many; 0 when that is one. */
  readonly share: number;
}

function regularity(text: string, delimiter: string): Regularity {
  const counts = cellCounts(text, delimiter);
  const [commonest] = [...groupBy(counts, String)].toSorted(([, a], [, b]) => b.length - a.length);
  const cells = Number(commonest?.[0] ?? 0);
  return { cells, share: cells < 2 ? 0 : (commonest?.[1].length ?? 0) / counts.length };
}

function cellCounts(text: string, delimiter: string): readonly number[] {
  try {
    const records = parse(text, {
      delimiter,
      bom: true,
      record_delimiter: [...lineEnds],
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
