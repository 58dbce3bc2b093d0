import { foldOfRole, roleSlice } from "../split-by-request.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { SluiceError } from "../../src/base/error.js";
import { BadRows } from "../bad-rows.js";
import { type ColumnMapping, type ResolvedColumns, resolveColumns, slicesOf } from "./column-mapping.js";
import { readTable, type Table, type TableRow } from "../sources/tables/read-table.js";
import { assembleDataset, type AssemblyOptions, idsOfIntents, limitRows, type RowFields } from "./assemble-dataset.js";
import type { ImportedDataset, SourceFile } from "./imported-dataset.js";
import { workflowIdFor } from "../draft/workflow-ids.js";
import { kindOf } from "../describe.js";

export interface TableOptions extends AssemblyOptions {
  readonly mapping?: ColumnMapping;
  /** Whether to draft a catalog from the labels, with examples drawn from the texts. Default false. */
  readonly draftCatalog?: boolean;
}

/**
 * Imports labelled requests from a table in any supported format. Labels become workflow ids (`workflowIdsFor`).
 * @throws {SluiceError} DOCUMENT_INVALID  with row and column
 */
export async function importTable(source: SourceFile, options: TableOptions = {}): Promise<ImportedDataset> {
  const { file, bytes } = source;
  const bad = new BadRows(options.maxBadRows);
  const texts = tableTexts(await readTable(source, bad), options.mapping ?? {}, bad);
  const badRows = bad.settle();
  if (texts.length === 0) throw new SluiceError("DOCUMENT_INVALID", `${file}: no usable rows`);
  const sources = [{ file, sha256: sha256Hex(bytes), licence: null }];
  if (options.draftCatalog !== true) return { ...withoutCatalog(texts, options), sources, badRows };
  const parts = texts.map((text) => ({ ...text, part: partOf(text) }));
  return { ...assembleDataset("table", parts, options), sources, badRows };
}

const partOfFold = { fit: "train", tune: "val", certify: "val", eval: "test" } as const;

/**
 * The published part of a text, which ensures that examples are drawn only from training texts. Without roles, all
 * texts are training texts.
 */
function partOf({ fields }: TableText): "train" | "val" | "test" {
  return partOfFold[foldOfRole(fields.slices?.[roleSlice]) ?? "fit"];
}

function withoutCatalog(
  texts: readonly TableText[],
  options: TableOptions,
): Pick<ImportedDataset, "rows" | "catalog" | "workflowIds"> {
  const workflowIds = idsOfIntents(texts, options.knownIds);
  const rows = limitRows(texts, options, options.seed ?? 0).map(({ id, text, intent, fields }) => ({
    id,
    text,
    workflow_id: intent === null ? null : (workflowIds.get(intent) ?? null),
    ...fields,
  }));
  return { rows, catalog: null, workflowIds };
}

/** A row of a table as a labelled text; `intent` null means out of scope. */
interface TableText {
  readonly id: string;
  readonly text: string;
  readonly intent: string | null;
  readonly fields: RowFields;
}

/**
 * Converts the rows of a table under a mapping, in table order. A row that cannot be used is a bad row and is left out.
 * Without an id column, the position of a row is its id.
 * @throws {SluiceError} DOCUMENT_INVALID  a specified or required column is missing
 */
function tableTexts(table: Table, mapping: ColumnMapping, bad: BadRows): readonly TableText[] {
  const columns = resolveColumns(table, mapping);
  const placeOfId = new Map<string, string>();
  return table.rows.flatMap((row) => {
    const reader = new RowReader(row);
    const text = readRow(reader, row, columns, mapping);
    const first = placeOfId.get(text.id);
    if (first !== undefined) reader.faults.push({ column: columns.id ?? "", rule: `the same id as ${first}` });
    for (const fault of reader.faults) {
      bad.add({ file: table.file, at: row.at, ...fault });
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
      group_id: reader.name(columns.group),
      ...(eventType === null ? {} : { event_type: eventType }),
      ...(allowed === null ? {} : { allowed_workflow_ids: allowed.map(workflowIdFor) }),
      ...(missingInputs === null ? {} : { missing_inputs: missingInputs }),
      ...(context === null ? {} : { context }),
      ...(slices.length === 0 ? {} : { slices: Object.fromEntries(slices) }),
    },
  };
}

interface CellFault {
  readonly column: string;
  /** Kind of the found value, and what was expected. */
  readonly rule: string;
}

const maximumText = 8000;
const maximumName = 160;

/**
 * Reads the cells of one row. A bad cell is recorded in `faults` and read as missing, so that all faults of a row are
 * reported together; a row with faults is not used. An undefined column reads as missing.
 */
class RowReader {
  readonly faults: CellFault[] = [];
  readonly #cells: TableRow["cells"];

  constructor(row: TableRow) {
    this.#cells = row.cells;
  }

  /** A request text: not blank, at most 8,000 characters. */
  text(column: string): string {
    const value = this.#cells.get(column);
    if (typeof value === "string" && value.trim() !== "" && value.length <= maximumText) return value;
    return this.#fault(column, "a text of 1 to 8,000 characters", "");
  }

  /** A label; null for null or one of the given values. */
  label(column: string, outOfScopeValues: readonly string[]): string | null {
    const value = this.#cells.get(column);
    if (value === null) return null;
    const label = plainText(value);
    if (label !== null && outOfScopeValues.includes(label)) return null;
    if (label !== null && label.trim() !== "") return label;
    return this.#fault(column, "a workflow, or a value of --out-of-scope-value", null);
  }

  /** A short text or a number; null if the cell is empty. */
  name(column: string | undefined): string | null {
    const value = column === undefined ? null : this.#cells.get(column);
    if (column === undefined || isEmpty(value)) return null;
    const name = plainText(value);
    return name !== null && name.length <= maximumName
      ? name
      : this.#fault(column, "a text of at most 160 characters, or a number", null);
  }

  /** Like `name`, but required. */
  requiredName(column: string): string {
    return isEmpty(this.#cells.get(column)) ? this.#fault(column, "a name", "") : (this.name(column) ?? "");
  }

  /** A list of names: an array, a JSON array, or names separated by spaces, commas, semicolons or vertical bars. */
  names(column: string | undefined): readonly string[] | null {
    const value = column === undefined ? null : this.#cells.get(column);
    if (column === undefined || isEmpty(value)) return null;
    const list = typeof value === "string" ? namesIn(value) : value;
    if (Array.isArray(list) && list.every((item) => typeof item === "string" && item !== "")) return list;
    return this.#fault(column, "a list of names", null);
  }

  object(column: string | undefined): Readonly<Record<string, unknown>> | null {
    const value = column === undefined ? null : this.#cells.get(column);
    if (column === undefined || isEmpty(value)) return null;
    const object = typeof value === "string" ? parsedJson(value) : value;
    if (typeof object === "object" && object !== null && !Array.isArray(object)) {
      return object as Readonly<Record<string, unknown>>;
    }
    return this.#fault(column, "an object, or the JSON of one", null);
  }

  #fault<T>(column: string, expected: string, instead: T): T {
    this.faults.push({ column, rule: `found ${kindOf(this.#cells.get(column))}, expected ${expected}` });
    return instead;
  }
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "";

function plainText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

function namesIn(text: string): unknown {
  if (text.trimStart().startsWith("[")) return parsedJson(text);
  return text.split(/[\s,;|]+/).filter((name) => name !== "");
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
