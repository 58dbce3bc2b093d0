import type { BadRows } from "../bad-rows.js";
import type { RowFields } from "../importers/benchmark.js";
import { workflowIdFor } from "../draft/workflow-ids.js";
import { type ColumnMapping, type ResolvedColumns, resolveColumns, slicesOf } from "./column-mapping.js";
import { RowReader } from "./row-reader.js";
import type { Table, TableRow } from "./table.js";

/** A row of a table as a labelled text; `intent` null means out of scope. */
export interface TableText {
  readonly id: string;
  readonly text: string;
  readonly intent: string | null;
  readonly fields: RowFields;
}

/**
 * Rows of a table under a mapping, in table order. A row that cannot be used is a bad row and left out. Without an id
 * column, a row's position is its id.
 * @throws {SluiceError} SCHEMA_INVALID  a named or needed column is absent
 */
export function tableTexts(table: Table, mapping: ColumnMapping, bad: BadRows): readonly TableText[] {
  const columns = resolveColumns(table, mapping);
  const placeOfId = new Map<string, string>();
  return table.rows.flatMap((row) => {
    const reader = new RowReader(row);
    const text = readRow(reader, row, columns, mapping);
    const first = placeOfId.get(text.id);
    if (first !== undefined) reader.faults.push({ column: columns.id ?? "", rule: `the same id as ${first}` });
    for (const fault of reader.faults) {
      bad.add({ file: table.file, at: row.at, ...fault, code: "SCHEMA_INVALID" });
    }
    if (reader.faults.length > 0) return [];
    placeOfId.set(text.id, row.at);
    return [text];
  });
}

function readRow(reader: RowReader, row: TableRow, columns: ResolvedColumns, mapping: ColumnMapping): TableText {
  const eventType = reader.name(columns.event);
  const allowed = reader.names(columns.allowed);
  const missingInputs = reader.names(columns.missing);
  const context = reader.object(columns.context);
  const slices = slicesOf(mapping).flatMap(([column, slice]) => {
    const value = reader.name(column);
    return value === null ? [] : [[slice, value] as const];
  });
  return {
    id: columns.id === undefined ? row.at.replace(" ", "-") : reader.requiredName(columns.id),
    text: reader.text(columns.text ?? ""),
    intent: reader.label(columns.workflow ?? "", mapping.outOfScopeValues ?? []),
    fields: {
      groupId: reader.name(columns.group),
      ...(eventType === null ? {} : { eventType }),
      ...(allowed === null ? {} : { allowedWorkflowIds: allowed.map(workflowIdFor) }),
      ...(missingInputs === null ? {} : { missingInputs }),
      ...(context === null ? {} : { context }),
      ...(slices.length === 0 ? {} : { slices: Object.fromEntries(slices) }),
    },
  };
}
