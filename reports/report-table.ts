import type { Column, ReportTable } from "./report-model.js";

/** A column of numbers. */
export const num = (label: string): Column => ({ label, numeric: true });

/** A table. @param columns  a label, or `num(label)` for a column of numbers */
export function reportTable(
  caption: string,
  columns: readonly (string | Column)[],
  rows: ReportTable["rows"],
): ReportTable {
  const column = (each: string | Column): Column => (typeof each === "string" ? { label: each, numeric: false } : each);
  return { caption, columns: columns.map(column), rows };
}
