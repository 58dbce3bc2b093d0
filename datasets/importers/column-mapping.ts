import { command, say, SluiceError } from "../../src/base/error.js";
import { roleSlice } from "../split-by-request.js";
import type { Table } from "../sources/tables/read-table.js";

/** Fields of a row that can come from a column, with their default columns. */
export const mappedFields = {
  text: "text",
  workflow: "workflow_id",
  id: "id",
  group: "group_id",
  allowed: "allowed_workflow_ids",
  missing: "missing_inputs",
  context: "context",
  event: "event_type",
} as const;
export type MappedField = keyof typeof mappedFields;

export interface ColumnMapping {
  /** Columns by field. A specified column must exist. */
  readonly columns?: Readonly<Partial<Record<MappedField, string>>>;
  /** Values of the workflow column that mean out of scope, in addition to null. Default: none. */
  readonly outOfScopeValues?: readonly string[];
  readonly sliceColumns?: readonly string[];
  /** Column of the published role (train, validation or test), which becomes the slice `part`. */
  readonly roleColumn?: string;
}

export type ResolvedColumns = Readonly<Partial<Record<MappedField, string>>>;

/**
 * Determines the column of each field. Text and workflow are required; other fields without a column are left out.
 * @throws {SluiceError} DOCUMENT_INVALID  a specified or required column is missing
 */
export function resolveColumns(table: Table, mapping: ColumnMapping): ResolvedColumns {
  const named = mapping.columns ?? {};
  const needed: Readonly<Partial<Record<MappedField, string>>> = {
    text: mappedFields.text,
    workflow: mappedFields.workflow,
    ...named,
  };
  for (const column of [...Object.values(needed), ...slicesOf(mapping).map(([column]) => column)]) {
    if (!table.columns.includes(column)) throw missingColumn(table, column);
  }
  const fields = Object.entries(mappedFields) as readonly (readonly [MappedField, string])[];
  const present = fields.filter(([, own]) => table.columns.includes(own)).map(([field, own]) => [field, own]);
  return { ...Object.fromEntries(present), ...needed };
}

export function slicesOf({ sliceColumns = [], roleColumn }: ColumnMapping): readonly (readonly [string, string])[] {
  const own = sliceColumns.map((column) => [column, column] as const);
  return roleColumn === undefined ? own : [...own, [roleColumn, roleSlice]];
}

function missingColumn({ file, columns }: Table, column: string): SluiceError {
  const message = `${file}: there is no column "${column}"; found ${columns.join(", ") || "no column"}`;
  return new SluiceError("DOCUMENT_INVALID", message, {
    hint: say`Name the columns: ${command`sluice dataset import FILE --format table --text-column NAME --workflow-column NAME`}. A split of that dataset can be fitted: ${command`sluice model fit --split ID --out DIR`}`,
    details: { columns },
  });
}
