import readSheets from "read-excel-file/universal";
import { SluiceError } from "../../../src/base/error.js";
import type { SourceFile } from "../../importers/imported-dataset.js";
import { unzip } from "../files/unzip.js";
import { cellText, type Grid, type GridRow } from "./grid.js";
import { openGrid, type OpenedGrid } from "./texts-of-grid.js";
import { zipSync } from "fflate";

export interface Sheet {
  readonly name: string;
  readonly hidden: boolean;
  readonly grid: Grid;
}

/**
 * Reads an Excel workbook (.xlsx): the named sheet; or all visible sheets if each contains the texts of one label; or,
 * of the visible sheets with recognised columns, the one with the most rows. Dates become ISO dates, and merged cells
 * all get their common value.
 * @throws {SluiceError} DOCUMENT_INVALID  the workbook cannot be read; TOO_LARGE as `compactSheets`
 * @throws {SluiceError} DOCUMENT_INVALID  there is no sheet of that name
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
      notes: [
        `Each of the ${open.length} visible sheets contains the texts of one label, which is the name of the sheet.`,
      ],
    };
  }
  const rows = ({ opened }: (typeof open)[number]): number => ("open" in opened.columns ? 0 : 1e9) + opened.rows.length;
  const [best] = open.toSorted((a, b) => rows(b) - rows(a));
  const chosen = named === undefined ? best?.sheet : filled.find(({ name }) => name === named);
  if (chosen === undefined) {
    const found = sheets.map(({ name }) => name).join(", ");
    if (named === undefined)
      throw new SluiceError("DOCUMENT_INVALID", `${file}: no rows`, { hint: "Use a file with labelled requests." });
    throw new SluiceError("DOCUMENT_INVALID", `${file}: no sheet "${named}"; found ${found}`, {
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

/** Visible sheets that each have one column of texts; the sheet name is the label. null for any other workbook. */
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

/** All sheets in workbook order. @throws {SluiceError} as `readXlsx` */
export async function sheetsOf(source: SourceFile): Promise<readonly Sheet[]> {
  const { file } = source;
  const files = compactSheets(file, unzip(source));
  const sheets = await readSheets(Uint8Array.from(zipped(files)).buffer).catch((cause: unknown) => {
    throw new SluiceError("DOCUMENT_INVALID", `${file}: the workbook cannot be read`, {
      hint: "Open it, save it as .xlsx or CSV, and use that file.",
      cause,
    });
  });
  const marks = sheetMarks(files);
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

/** 0-based row and column range of merged cells, inclusive. */
type Range = readonly [top: number, left: number, bottom: number, right: number];

/** Copies the value of the first merged cell to the rest of the range, up to the last row of the sheet. */
function spread(cells: readonly unknown[][], [top, left, bottom, right]: Range): void {
  const value = cells[top]?.[left];
  if (value === null || value === undefined) return;
  for (const row of cells.slice(top, bottom + 1)) {
    for (let column = left; column <= Math.min(right, row.length - 1); column += 1) row[column] = value;
  }
}

/** Hidden state and merged cells of each sheet, in workbook order. */
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

/** Parses a cell range such as `A2:B13`. */
function rangeOf(reference: string): readonly Range[] {
  const [, left = "", top = "", right = "", bottom = ""] =
    /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(reference) ?? [];
  if (left === "") return [];
  const column = (letters: string): number =>
    [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return [[Number(top) - 1, column(left), Number(bottom) - 1, column(right)]];
}

/** Maximum number of cells of a sheet after empty rows and columns are removed. */
const mostCells = 20_000_000;

const isSheet = (path: string): boolean => /^xl\/worksheets\/[^/]+\.xml$/.test(path);

/** Matches `<row …>` and `<c …>`, with or without a namespace. */
const tag = /<((?:\w+:)?)(row|c)\b([^>]*)>/g;
const address = /\br\s*=\s*["'](?<column>[A-Z]*)(?<row>\d+)["']/;

/**
 * Removes the empty rows and columns from the sheets of a workbook, so that memory depends on the number of cells and
 * not on their addresses. Inserts a column A with the original row numbers.
 * @throws {SluiceError} TOO_LARGE  a sheet still spans more than 20,000,000 cells
 */
const compactSheets = (file: string, files: readonly SourceFile[]): readonly SourceFile[] =>
  files.map((own) =>
    isSheet(own.file)
      ? { file: own.file, bytes: Buffer.from(compactSheet(file, Buffer.from(own.bytes).toString("utf8")), "utf8") }
      : own,
  );

/** Packs files into a workbook. */
const zipped = (files: readonly SourceFile[]): Uint8Array =>
  zipSync(Object.fromEntries(files.map(({ file, bytes }) => [file, bytes])), { level: 0 });

function compactSheet(file: string, xml: string): string {
  const rows = new Set<number>();
  const columns = new Set<number>();
  for (const { column, row } of addressesIn(xml)) {
    rows.add(row);
    if (column > 0) columns.add(column);
  }
  const [rowAt, columnAt] = [positions(rows), positions(columns)];
  const cells = rowAt.size * (columnAt.size + 1);
  if (cells > mostCells) {
    throw tooLarge(
      `${file}: a sheet spans ${rows.size} rows and ${columns.size} columns, expected at most ${mostCells} cells`,
    );
  }
  let current = 0;
  const rewritten = xml.replace(tag, (whole, prefix: string, name: string, attributes: string) => {
    const found = addressOf(attributes);
    if (name === "c") {
      if (found === null) return whole;
      const place = `${lettersOf((columnAt.get(found.column) ?? 0) + 1)}${rowAt.get(found.row) ?? 0}`;
      return `<${prefix}c${attributes.replace(address, `r="${place}"`)}>`;
    }
    current = found?.row ?? current + 1;
    if (attributes.endsWith("/")) return "";
    const at = rowAt.get(current) ?? 0;
    return `<${prefix}row r="${at}"><${prefix}c r="A${at}"><${prefix}v>${current}</${prefix}v></${prefix}c>`;
  });
  const merged = rewritten.replace(
    mergedRange,
    (_, before: string, left: string, top: string, right: string, bottom: string) => {
      const first = placeFrom(rowAt, Number(top));
      const last = placeUpTo(rowAt, Number(bottom));
      const [from, to] = [placeFrom(columnAt, numberOf(left)) + 1, placeUpTo(columnAt, numberOf(right)) + 1];
      return `${before}ref="${lettersOf(from)}${first}:${lettersOf(to)}${last}"`;
    },
  );
  return merged.replace(/<(?:\w+:)?dimension\b[^>]*>/g, "");
}

/** Matches `<mergeCell ref="A2:B13"/>`. */
const mergedRange = /(<(?:\w+:)?mergeCell\b[^>]*?)\bref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"/g;

/** Position of the first number >= `number`; 1 if there is none. */
const placeFrom = (places: ReadonlyMap<number, number>, number: number): number =>
  [...places].find(([own]) => own >= number)?.[1] ?? 1;

/** Position of the last number <= `number`; 1 if there is none. */
const placeUpTo = (places: ReadonlyMap<number, number>, number: number): number =>
  [...places].findLast(([own]) => own <= number)?.[1] ?? 1;

interface Address {
  /** 1-based column; 0 for a row element. */
  readonly column: number;
  readonly row: number;
}

function* addressesIn(xml: string): Iterable<Address> {
  let current = 0;
  for (const [, , name, attributes = ""] of xml.matchAll(tag)) {
    const found = addressOf(attributes);
    if (name === "row") current = found?.row ?? current + 1;
    if (name === "row" && attributes.endsWith("/")) continue;
    if (name === "row") yield { column: 0, row: current };
    else if (found !== null) yield found;
  }
}

function addressOf(attributes: string): Address | null {
  const found = address.exec(attributes)?.groups;
  if (found === undefined) return null;
  return { column: numberOf(found["column"] ?? ""), row: Number(found["row"]) };
}

/** Column number of column letters: A is 1, AA is 27. */
const numberOf = (letters: string): number =>
  [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);

/** 1-based rank of each number in ascending order. */
const positions = (numbers: ReadonlySet<number>): ReadonlyMap<number, number> =>
  new Map([...numbers].sort((a, b) => a - b).map((number, index) => [number, index + 1]));

/** Column letters of a column number: 1 is A, 27 is AA. */
function lettersOf(column: number): string {
  let letters = "";
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

const tooLarge = (message: string): SluiceError =>
  new SluiceError("TOO_LARGE", message, { hint: "Delete the cells outside of the table, or save the table as CSV." });
