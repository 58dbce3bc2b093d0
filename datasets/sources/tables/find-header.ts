import { isHeader } from "./choose-columns.js";
import { cellText, type GridRow } from "./grid.js";

/** Where the rows of a table begin. */
export interface TableStart {
  /** The row that names the columns; null when there is none. */
  readonly header: GridRow | null;
  /** Titles and notes above that row. */
  readonly above: readonly GridRow[];
  readonly rows: readonly GridRow[];
}

/** Maximum number of rows above the header. */
const mostTitles = 10;

/**
 * Finds the row that names the columns. Spreadsheets made for people begin with titles and notes, each in a single
 * cell of its row; they are skipped when a header follows.
 *
 * @param chosen  columns that the user named: a row that has all of them is the header
 */
export function findHeader(grid: readonly GridRow[], chosen: readonly string[]): TableStart {
  const titles = grid.slice(0, mostTitles).findIndex((row) => filledCells(row) > 1);
  for (const count of new Set([Math.max(0, titles), 0])) {
    const [header, ...rows] = grid.slice(count);
    if (header !== undefined && (hasCells(header, chosen) || isHeader(header, rows)))
      return { header, above: grid.slice(0, count), rows };
  }
  return { header: null, above: [], rows: grid };
}

/** Whether a row has a cell for each of at least one name. */
function hasCells({ cells }: GridRow, names: readonly string[]): boolean {
  const texts = new Set(cells.map(cellText));
  return names.length > 0 && names.every((name) => texts.has(name));
}

const filledCells = ({ cells }: GridRow): number => cells.filter((cell) => cellText(cell) !== "").length;
