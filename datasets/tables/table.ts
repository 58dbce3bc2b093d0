/** One row of a table with the values of its columns. */
export interface TableRow {
  /** Where the row is in its file, e.g. "line 3" (with the header) or "row 1". */
  readonly at: string;
  readonly cells: ReadonlyMap<string, unknown>;
}

/** A fully read table of any format. */
export interface Table {
  readonly file: string;
  /** In file order. */
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}
