import { counted } from "../../../src/documents/number-text.js";
import { SluiceError } from "../../../src/base/error.js";
import type { BadRows } from "../../bad-rows.js";
import { kindOf } from "../../describe.js";
import type { SourceFile } from "../../importers/imported-dataset.js";
import { defaultChoices } from "../choices.js";
import { isJsonObject } from "../parse-json.js";
import { type Document, readDocument } from "../read-document.js";
import { cellText } from "./grid.js";

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

/**
 * Reads a table whose first row names the columns, or a list of objects whose fields are the columns, in any format
 * that `readDocument` recognises. A row of delimited text with another number of cells is a bad row.
 * @throws {SluiceError} DOCUMENT_INVALID  there is no table, or a column name is missing or repeated
 */
export async function readTable(source: SourceFile, bad: BadRows): Promise<Table> {
  const document = await readDocument(source, defaultChoices);
  if (document.form === "grid") return tableOfGrid(document, bad);
  if (document.form === "values") return tableOfObjects(source.file, document, bad);
  const found = document.form === "unreadable" ? document.why : "found no columns";
  throw new SluiceError("DOCUMENT_INVALID", `${source.file}: ${found}, expected a table`, {
    hint: "Use a file with a row of column names, or with one JSON object for each row.",
  });
}

type GridDocument = Extract<Document, { readonly form: "grid" }>;

function tableOfGrid({ kind, grid: { file, rows } }: GridDocument, bad: BadRows): Table {
  const [header, ...others] = rows;
  const columns = (header?.cells ?? []).map((cell) => cellText(cell) ?? "");
  refuseColumns(columns, file);
  const isText = kind === "csv" || kind === "tsv";
  const read = others.flatMap(({ at, cells }) => {
    if (isText && cells.length !== columns.length) {
      const rule = `found ${counted(cells.length, "cell")}, expected ${columns.length}`;
      bad.add({ file, at, column: "", rule });
      return [];
    }
    return [{ at, cells: new Map(columns.map((column, index) => [column, plainValue(cells[index])])) }];
  });
  return { file, columns, rows: read };
}

/** 64-bit integers become texts, because they may be ids. */
const plainValue = (value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

function refuseColumns(columns: readonly string[], file: string): void {
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (columns.length > 0 && twice === undefined) return;
  const found = twice === undefined ? "no header" : `the column "${twice}" twice`;
  throw new SluiceError("DOCUMENT_INVALID", `${file}: the first row: found ${found}, expected the column names`, {
    hint: "Name every column once in the first row.",
  });
}

function tableOfObjects(
  file: string,
  { kind, values }: Extract<Document, { readonly form: "values" }>,
  bad: BadRows,
): Table {
  const [list] = values;
  if (!Array.isArray(list)) {
    throw new SluiceError("DOCUMENT_INVALID", `${file}: found ${kindOf(list)}, expected a list of objects`, {
      hint: "Use a JSON list of objects, or a file with one JSON object per line.",
    });
  }
  const columns = new Set<string>();
  const rows = (list as readonly unknown[]).flatMap((value, index): readonly TableRow[] => {
    const at = `${kind === "jsonl" ? "line" : "row"} ${index + 1}`;
    if (!isJsonObject(value)) {
      bad.add({ file, at, column: "", rule: `found ${kindOf(value)}, expected an object` });
      return [];
    }
    const cells = new Map<string, unknown>(Object.entries(value));
    for (const column of cells.keys()) columns.add(column);
    return [{ at, cells }];
  });
  return { file, columns: [...columns], rows };
}
