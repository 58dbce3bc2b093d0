/** One line of CSV without its line end (RFC 4180): cells that need it are quoted. */
export const csvLine = (cells: readonly string[]): string => cells.map(quoted).join(",");

const quoted = (cell: string): string => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
