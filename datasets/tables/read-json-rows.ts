import type { BadRows } from "../bad-rows.js";
import type { SourceFile } from "../importers/imported-dataset.js";
import { kindOf } from "../describe.js";
import { jsonLines } from "../read-jsonl.js";
import type { Table, TableRow } from "./table.js";

/**
 * Reads JSONL objects with any fields as a table. Its columns are the fields of all rows in order of first appearance.
 */
export function readJsonRows({ file, bytes }: SourceFile, bad: BadRows): Table {
  const columns = new Set<string>();
  const rows: TableRow[] = [];
  for (const { line, value } of jsonLines(bytes, file, bad)) {
    const at = `line ${line}`;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      const rule = `found ${kindOf(value)}, expected an object`;
      bad.add({ file, at, column: "", rule });
      continue;
    }
    const cells = new Map<string, unknown>(Object.entries(value));
    for (const column of cells.keys()) columns.add(column);
    rows.push({ at, cells });
  }
  return { file, columns: [...columns], rows };
}
