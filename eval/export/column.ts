/** One column of an exported table; a missing value is null. */
export type ExportColumn =
  | { readonly name: string; readonly type: "text"; readonly values: readonly (string | null)[] }
  | { readonly name: string; readonly type: "number"; readonly values: readonly (number | null)[] }
  | { readonly name: string; readonly type: "whole"; readonly values: readonly (number | null)[] }
  | { readonly name: string; readonly type: "truth"; readonly values: readonly (boolean | null)[] };

/** Columns of equal length with distinct names. */
export type ExportTable = readonly ExportColumn[];

type Values<T extends ExportColumn["type"]> = Extract<ExportColumn, { readonly type: T }>["values"][number];

/** Builds the columns of a table from its rows. */
export class ColumnsOf<Row> {
  private readonly rows: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.rows = rows;
  }

  text(name: string, of: (row: Row) => Values<"text">): ExportColumn {
    return { name, type: "text", values: this.rows.map(of) };
  }

  number(name: string, of: (row: Row) => Values<"number">): ExportColumn {
    return { name, type: "number", values: this.rows.map(of) };
  }

  whole(name: string, of: (row: Row) => Values<"whole">): ExportColumn {
    return { name, type: "whole", values: this.rows.map(of) };
  }

  truth(name: string, of: (row: Row) => Values<"truth">): ExportColumn {
    return { name, type: "truth", values: this.rows.map(of) };
  }
}
