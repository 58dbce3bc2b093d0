import readSheets from "read-excel-file/universal";
import { SluiceError } from "../../../src/errors/error.js";
import type { SourceFile } from "../../importers/imported-dataset.js";
import { unzip } from "../files/unzip.js";
import { withCompactSheets } from "./compact-sheets.js";
import { cellText, type Grid, type GridRow } from "./grid.js";
import { openGrid, type OpenedGrid } from "./texts-of-grid.js";

export interface Sheet {
  readonly name: string;
  readonly hidden: boolean;
  readonly grid: Grid;
}

/**
 * The table of an Excel workbook (.xlsx): the named sheet, or the visible one whose columns are recognised, with the
 * most rows; or all visible sheets where each holds the texts of one label. Dates become ISO dates, and the value of
 * merged cells counts for each of them.
 * @throws {SluiceError} SYNTAX_INVALID  the workbook cannot be read; TOO_LARGE of `withCompactSheets`
 * @throws {SluiceError} SCHEMA_INVALID  there is no sheet of that name; DATASET_EMPTY
 */
export async function readXlsx(
  source: SourceFile,
  { sheet: named }: { readonly sheet?: string },
): Promise<{ readonly grid: Grid; readonly notes: readonly string[] }> {
  const { file } = source;
  const sheets = await sheetsOf(source);
  const filled = sheets.filter(({ grid }) => grid.rows.length > 0);
  const visible = filled.filter(({ hidden }) => !hidden);
  const open = (visible.length > 0 ? visible : filled).map((sheet) => ({ sheet, opened: openGrid(sheet.grid, {}) }));
  const perLabel = named === undefined ? sheetPerLabel(file, open) : null;
  if (perLabel !== null) {
    return {
      grid: perLabel,
      notes: [`Each of the ${open.length} visible sheets holds the texts of one label, its name.`],
    };
  }
  const rows = ({ opened }: (typeof open)[number]): number => ("open" in opened.columns ? 0 : 1e9) + opened.rows.length;
  const [best] = open.toSorted((a, b) => rows(b) - rows(a));
  const chosen = named === undefined ? best?.sheet : filled.find(({ name }) => name === named);
  if (chosen === undefined) {
    const found = sheets.map(({ name }) => name).join(", ");
    if (named === undefined)
      throw new SluiceError("DATASET_EMPTY", `${file}: no rows`, { hint: "Use a file with labelled requests." });
    throw new SluiceError("SCHEMA_INVALID", `${file}: no sheet "${named}"; found ${found}`, {
      hint: "Name one of these sheets: sluice init FILE --sheet NAME",
    });
  }
  const skipped = (what: string, all: readonly Sheet[]): readonly string[] => {
    const others = all.filter((sheet) => sheet !== chosen).map(({ name }) => name);
    return others.length === 0 ? [] : [`Skipped ${what}: ${others.join(", ")}.`];
  };
  const hidden = filled.filter((sheet) => sheet.hidden);
  const notes = [
    `The sheet "${chosen.name}" was read.`,
    ...skipped("sheets", visible),
    ...skipped("hidden sheets", hidden),
  ];
  return { grid: chosen.grid, notes };
}

type OpenSheet = { readonly sheet: Sheet; readonly opened: OpenedGrid };

/** Visible sheets that each hold one column of texts: the name of a sheet is their label. Null for other workbooks. */
function sheetPerLabel(file: string, open: readonly OpenSheet[]): Grid | null {
  const columns = open.map(({ opened }) => soleTextColumn(opened));
  if (open.length < 2 || columns.includes(null)) return null;
  const rows = open.flatMap(({ sheet, opened }, index) =>
    opened.rows.map(({ at, cells }) => ({
      at: `${sheet.name} ${at}`,
      cells: [sheet.name, cells[columns[index] ?? 0]],
    })),
  );
  return { file, rows: [{ at: "the sheets", cells: ["intent", "text"] }, ...rows] };
}

function soleTextColumn({ header, rows, columns }: OpenedGrid): number | null {
  if (!("open" in columns) || columns.open !== "label" || columns.candidates.length > 0) return null;
  const filled = header.flatMap((_, column) =>
    rows.some(({ cells }) => (cellText(cells[column]) ?? "") !== "") ? [column] : [],
  );
  const [only] = filled;
  const words = only === undefined ? [] : rows.filter(({ cells }) => /\s/.test(cellText(cells[only]) ?? ""));
  return filled.length === 1 && only !== undefined && words.length * 2 > rows.length ? only : null;
}

/** Every sheet in the order of the workbook. @throws {SluiceError} those of `readXlsx` */
export async function sheetsOf(source: SourceFile): Promise<readonly Sheet[]> {
  const { file } = source;
  const { sheets, compact } = await readCompact(source).catch((cause: unknown) => {
    if (cause instanceof SluiceError) throw cause;
    throw new SluiceError("SYNTAX_INVALID", `${file}: the workbook cannot be read`, {
      hint: "Open it, save it as .xlsx or CSV, and use that file.",
      cause,
    });
  });
  const marks = sheetMarks(unzip(compact));
  return sheets.map(({ sheet: name, data }, index) => {
    const { hidden, merged } = marks[index] ?? { hidden: false, merged: [] };
    const cells = data.map((row) =>
      (row as readonly unknown[]).map((cell) => (cell instanceof Date ? cell.toISOString() : cell)),
    );
    for (const range of merged) spread(cells, range);
    const rows = cells.flatMap(([number, ...row]): readonly GridRow[] =>
      row.every((cell) => cell === null || cell === "") ? [] : [{ at: `row ${String(number)}`, cells: row }],
    );
    return { name, hidden, grid: { file, rows } };
  });
}

/** The sheets without their empty rows and columns, each row behind the number that it had. */
async function readCompact(source: SourceFile) {
  const compact = { ...source, bytes: Buffer.from(withCompactSheets(source)) };
  return { compact, sheets: await readSheets(Uint8Array.from(compact.bytes).buffer) };
}

/** Rows and columns of merged cells, from 0, the last included. */
type Range = readonly [top: number, left: number, bottom: number, right: number];

/** Gives the value of the first merged cell to the others, as far as the sheet has rows. */
function spread(cells: readonly unknown[][], [top, left, bottom, right]: Range): void {
  const value = cells[top]?.[left];
  if (value === null || value === undefined) return;
  for (const row of cells.slice(top, bottom + 1)) {
    for (let column = left; column <= Math.min(right, row.length - 1); column += 1) row[column] = value;
  }
}

/** Which sheets are hidden and which of their cells are merged, in the order of the workbook. */
function sheetMarks(
  all: readonly SourceFile[],
): readonly { readonly hidden: boolean; readonly merged: readonly Range[] }[] {
  const files = new Map(all.map(({ file, bytes }) => [file, bytes]));
  const text = (file: string): string => Buffer.from(files.get(file) ?? new Uint8Array()).toString("utf8");
  const attribute = (tag: string, name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
  const tags = (xml: string, name: string): readonly string[] =>
    xml.match(new RegExp(`<(?:\\w+:)?${name}\\b[^>]*>`, "g")) ?? [];
  const targets = new Map(
    tags(text("xl/_rels/workbook.xml.rels"), "Relationship").map((tag) => [
      attribute(tag, "Id"),
      attribute(tag, "Target"),
    ]),
  );
  return tags(text("xl/workbook.xml"), "sheet").map((tag) => {
    const target = targets.get(attribute(tag, "\\w+:id")) ?? "";
    const xml = text(target.startsWith("/") ? target.slice(1) : `xl/${target}`);
    const merged = tags(xml, "mergeCell").flatMap((cell) => rangeOf(attribute(cell, "ref")));
    return { hidden: attribute(tag, "state").toLowerCase().includes("hidden"), merged };
  });
}

/** `A2:B13` in numbers. */
function rangeOf(reference: string): readonly Range[] {
  const [, left = "", top = "", right = "", bottom = ""] =
    /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(reference) ?? [];
  if (left === "") return [];
  const column = (letters: string): number =>
    [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return [[Number(top) - 1, column(left), Number(bottom) - 1, column(right)]];
}
