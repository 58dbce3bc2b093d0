/** A cell: texts are written so that no spreadsheet program runs them, numbers and truth values as they are. */
export type CsvCell = string | number | boolean | null;

/** One line of CSV without its line end (RFC 4180): cells that need it are quoted. */
export const csvLine = (cells: readonly CsvCell[]): string =>
  cells.map((cell) => quoted(typeof cell === "string" ? asText(cell) : String(cell ?? ""))).join(",");

const quoted = (cell: string): string => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** What begins a formula in a spreadsheet program, apostrophes before it included. Source: OWASP, "CSV Injection". */
const formula = /^'*[=+\-@\t\r]/;

/** A text as a cell that is never a formula: an apostrophe before it, which spreadsheet programs do not show. */
const asText = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** The text of a cell that `csvLine` or a spreadsheet program wrote. */
export const textOfCell = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);
