/**
 * A cell. Texts are escaped so that spreadsheet programs do not run them as formulas; numbers and booleans are written
 * as they are.
 */
export type CsvCell = string | number | boolean | null;

/** One line of CSV (RFC 4180) without line ending; cells are quoted if necessary. */
export const csvLine = (cells: readonly CsvCell[]): string =>
  cells.map((cell) => quoted(typeof cell === "string" ? asText(cell) : String(cell ?? ""))).join(",");

const quoted = (cell: string): string => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/**
 * Start of a text that spreadsheet programs treat as a formula, including leading apostrophes. Source: OWASP, "CSV
 * Injection".
 */
const formula = /^'*[=+\-@\t\r]/;

/** Escapes a formula by a leading apostrophe, which spreadsheet programs do not show. */
const asText = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** Reverses the escaping of `csvLine`. */
export const textOfCell = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);
