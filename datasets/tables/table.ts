/** One row of a table, with its values by column. */
export interface TableRow {
  /** Position of the row in its file, e.g. "line 3" (counting the header) or "row 1". */
  readonly at: string;
  readonly cells: ReadonlyMap<string, unknown>;
}

/** A table that was read completely, from any format. */
export interface Table {
  readonly file: string;
  /** Column names in file order. */
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}
