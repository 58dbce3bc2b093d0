/** A table whose header is not determined yet. */
export interface Grid {
  readonly file: string;
  readonly rows: readonly GridRow[];
}

export interface GridRow {
  /** Where the row is in its file, e.g. "line 3" or "row 7". */
  readonly at: string;
  readonly cells: readonly unknown[];
}

/** A cell as text without surrounding white space; "" for an empty cell, null for a value that is not text. */
export function cellText(cell: unknown): string | null {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "string") return cell.trim();
  if (typeof cell === "number" || typeof cell === "boolean" || typeof cell === "bigint") return String(cell);
  return null;
}
