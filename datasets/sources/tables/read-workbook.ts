import { SluiceError } from "../../../src/base/error.js";
import type { SourceFile } from "../../importers/imported-dataset.js";
import { decodeText } from "../files/decode-text.js";
import { readXml } from "../files/read-xml.js";
import { unzip } from "../files/unzip.js";
import type { Grid, GridRow } from "./grid.js";

export interface Sheet {
  readonly name: string;
  readonly hidden: boolean;
  readonly grid: Grid;
  /** Number of rows that a filter or a person hides. */
  readonly hiddenRows: number;
  /** Number of formulas without a stored result, by 0-based column of the grid. */
  readonly unevaluated: ReadonlyMap<number, number>;
}

/** What the parts of a workbook share. */
interface Workbook {
  readonly file: string;
  readonly texts: readonly string[];
  /** Whether a cell style is a date, by its index. */
  readonly dates: readonly boolean[];
  /** Days from 1970-01-01 to day 0 of the workbook, negative. */
  readonly epoch: number;
}

/**
 * All sheets of an Excel workbook, in workbook order, without their empty rows and columns. Dates become ISO dates, and
 * merged cells all get their common value.
 * @throws {SluiceError} DOCUMENT_INVALID  the workbook cannot be read
 * @throws {SluiceError} TOO_LARGE  a sheet is mostly empty cells
 */
export function sheetsOf(source: SourceFile): readonly Sheet[] {
  const { file } = source;
  const parts = new Map(unzip(source).map((part) => [part.file, part.bytes]));
  const xmlOf = (part: string): string => decodeText(parts.get(part) ?? new Uint8Array()).text;
  try {
    const { sheets, epoch } = sheetList(xmlOf("xl/workbook.xml"), xmlOf("xl/_rels/workbook.xml.rels"));
    const workbook: Workbook = {
      file,
      epoch,
      texts: sharedTexts(xmlOf("xl/sharedStrings.xml")),
      dates: dateStyles(xmlOf("xl/styles.xml")),
    };
    return sheets.map(({ name, hidden, part }) => ({ name, hidden, ...readSheet(workbook, name, xmlOf(part)) }));
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause;
    throw new SluiceError("DOCUMENT_INVALID", `${file}: the workbook cannot be read`, {
      hint: "Open it, save it as .xlsx or CSV, and use that file.",
      cause,
    });
  }
}

interface ListedSheet {
  readonly name: string;
  readonly hidden: boolean;
  /** Path in the archive. */
  readonly part: string;
}

/** Days from 1899-12-30, or from 1904-01-01, to 1970-01-01. */
const epochs = { 1900: -25_569, 1904: -24_107 } as const;

function sheetList(
  workbook: string,
  relations: string,
): { readonly sheets: readonly ListedSheet[]; readonly epoch: number } {
  const targets = new Map<string, string>();
  readXml(relations, {
    open: (name, attribute) => {
      if (name === "Relationship") targets.set(attribute("Id") ?? "", attribute("Target") ?? "");
    },
  });
  const sheets: ListedSheet[] = [];
  let epoch: number = epochs[1900];
  readXml(workbook, {
    open: (name, attribute) => {
      if (name === "workbookPr" && /^(?:1|true)$/.test(attribute("date1904") ?? "")) epoch = epochs[1904];
      if (name !== "sheet") return;
      const target = targets.get(attribute("id") ?? "") ?? "";
      const hidden = (attribute("state") ?? "").toLowerCase().includes("hidden");
      const part = target.startsWith("/") ? target.slice(1) : `xl/${target}`;
      sheets.push({ name: attribute("name") ?? "", hidden, part });
    },
  });
  return { sheets, epoch };
}

/** The texts that cells refer to by index; phonetic hints are not part of them. */
function sharedTexts(xml: string): readonly string[] {
  const texts: string[] = [];
  let pieces: string[] = [];
  let [inText, inHint] = [false, false];
  readXml(xml, {
    open: (name) => {
      if (name === "si") pieces = [];
      if (name === "t") inText = true;
      if (name === "rPh") inHint = true;
    },
    text: (piece) => {
      if (inText && !inHint) pieces.push(piece);
    },
    close: (name) => {
      if (name === "si") texts.push(cellString(pieces));
      if (name === "t") inText = false;
      if (name === "rPh") inHint = false;
    },
  });
  return texts;
}

/** Control characters are written as `_x000D_`. */
const cellString = (pieces: readonly string[]): string =>
  pieces.join("").replace(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Built-in number formats of dates and times. Source: ECMA-376 part 1, 18.8.30. */
const isDateFormat = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/** Whether each cell style is a date; a format of its own is one if it names parts of a date outside of quotes. */
function dateStyles(xml: string): readonly boolean[] {
  const own = new Map<string, boolean>();
  const styles: boolean[] = [];
  let inCells = false;
  readXml(xml, {
    open: (name, attribute) => {
      if (name === "numFmt") {
        const code = (attribute("formatCode") ?? "").replace(/"[^"]*"|\[[^\]]*\]|\\./g, "");
        own.set(attribute("numFmtId") ?? "", /[dmyhs]/i.test(code));
      }
      if (name === "cellXfs") inCells = true;
      if (name !== "xf" || !inCells) return;
      const id = attribute("numFmtId") ?? "0";
      styles.push(own.get(id) ?? isDateFormat(Number(id)));
    },
    close: (name) => {
      if (name === "cellXfs") inCells = false;
    },
  });
  return styles;
}

/** Values by 1-based column, of the row with a 1-based number. */
interface SheetRow {
  readonly number: number;
  readonly cells: Map<number, unknown>;
}

/** 1-based rows and columns, inclusive. */
interface MergedRange {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

interface OpenCell {
  readonly column: number;
  readonly row: number;
  readonly type: string;
  readonly style: number;
  readonly pieces: string[];
  formula: boolean;
}

/** Reads the cells of one sheet, in document order. */
class SheetReader {
  readonly rows = new Map<number, SheetRow>();
  readonly merged: MergedRange[] = [];
  /** Number of formulas without a result, by 1-based column. */
  readonly unevaluated = new Map<number, number>();
  hiddenRows = 0;
  readonly #workbook: Workbook;
  readonly #name: string;
  #characters = 0;
  #row = 0;
  #column = 0;
  #cell: OpenCell | null = null;
  #inText = false;

  constructor(workbook: Workbook, name: string) {
    this.#workbook = workbook;
    this.#name = name;
  }

  read(xml: string): this {
    readXml(xml, {
      open: (name, attribute) => this.#open(name, attribute),
      text: (text) => {
        if (this.#inText) this.#cell?.pieces.push(text);
      },
      close: (name) => this.#close(name),
    });
    return this;
  }

  #open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === "row") this.#openRow(attribute("r"), /^(?:1|true)$/.test(attribute("hidden") ?? ""));
    else if (name === "c") this.#openCell(attribute);
    else if (name === "v" || name === "t") this.#inText = this.#cell !== null;
    else if (name === "f" && this.#cell !== null) this.#cell.formula = true;
    else if (name === "mergeCell") this.#addRange(attribute("ref") ?? "");
  }

  #openRow(number: string | undefined, hidden: boolean): void {
    if (number !== undefined && !/^[0-9]{1,7}$/.test(number)) throw this.#strange("row", number);
    this.#row = number === undefined ? this.#row + 1 : Number(number);
    this.#column = 0;
    if (hidden) this.hiddenRows += 1;
  }

  #openCell(attribute: (name: string) => string | undefined): void {
    const address = attribute("r");
    const [column, row] =
      address === undefined ? [this.#column + 1, this.#row] : (placeOf(address) ?? this.#refuse(address));
    this.#column = column;
    const style = Number(attribute("s") ?? -1);
    this.#cell = { column, row, type: attribute("t") ?? "n", style, pieces: [], formula: false };
  }

  #refuse(address: string): never {
    throw this.#strange("cell", address);
  }

  #strange(what: string, address: string): SluiceError {
    const { file } = this.#workbook;
    const shown = address.replace(/[^\x20-\x7e]/g, "?").slice(0, 20);
    return new SluiceError(
      "DOCUMENT_INVALID",
      `${file}: sheet "${this.#name}": found a ${what} at "${shown}", expected an address such as B12`,
      { hint: "Open the workbook, save it again as .xlsx or CSV, and use that file." },
    );
  }

  #addRange(reference: string): void {
    const [from = "", to = ""] = reference.split(":", 2);
    const [first, last] = [placeOf(from), placeOf(to)];
    if (first === null || last === null) return;
    this.merged.push({ left: first[0], top: first[1], right: last[0], bottom: last[1] });
  }

  #close(name: string): void {
    if (name === "v" || name === "t") this.#inText = false;
    const cell = this.#cell;
    if (name !== "c" || cell === null) return;
    this.#cell = null;
    const value = this.#valueOf(cell);
    const { column, row, formula } = cell;
    if (value === null && formula) this.unevaluated.set(column, (this.unevaluated.get(column) ?? 0) + 1);
    if (value === null && !formula) return;
    this.#count(value);
    const own = this.rows.get(row) ?? { number: row, cells: new Map<number, unknown>() };
    own.cells.set(column, value);
    this.rows.set(row, own);
  }

  /** Cells that repeat one long text must not cost more than the file. */
  #count(value: unknown): void {
    this.#characters += typeof value === "string" ? value.length : 1;
    if (this.#characters <= mostCharacters) return;
    throw new SluiceError("TOO_LARGE", `${this.#workbook.file}: sheet "${this.#name}" holds more than 64 MiB of text`, {
      hint: "Delete repeated rows, or use several files.",
    });
  }

  #valueOf({ type, style, pieces }: OpenCell): unknown {
    const text = cellString(pieces);
    const { texts, dates, epoch } = this.#workbook;
    if (type === "s") return texts[Number(text)] ?? null;
    if (text === "") return null;
    if (type === "b") return text === "1" || text === "true";
    if (type !== "n") return text;
    const number = Number(text);
    if (Number.isNaN(number)) return text;
    const date = new Date(Math.round((number + epoch) * millisecondsPerDay));
    return dates[style] === true && !Number.isNaN(date.getTime()) ? date.toISOString() : number;
  }
}

const millisecondsPerDay = 86_400_000;

/** Maximum number of characters of the cells of a sheet. */
const mostCharacters = 64 * 1024 * 1024;

/** Column and row of an address such as B12; null for anything else. */
function placeOf(address: string): readonly [column: number, row: number] | null {
  const [, letters, row] = /^([A-Z]{1,3})([0-9]{1,7})$/.exec(address) ?? [];
  if (letters === undefined) return null;
  const column = [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);
  return [column, Number(row)];
}

/** A sheet may span this many cells, or so many times its filled ones, whichever is more. */
const mostCells = 1_000_000;
const mostSparse = 50;

function readSheet(workbook: Workbook, name: string, xml: string): Omit<Sheet, "name" | "hidden"> {
  const { file } = workbook;
  const { rows, merged, unevaluated, hiddenRows } = new SheetReader(workbook, name).read(xml);
  const ordered = [...rows.values()].toSorted((a, b) => a.number - b.number);
  const columns = [...new Set(ordered.flatMap(({ cells }) => [...cells.keys()]))].toSorted((a, b) => a - b);
  const filled = ordered.reduce((sum, { cells }) => sum + cells.size, 0);
  if (ordered.length * columns.length > Math.max(mostCells, mostSparse * filled)) {
    throw new SluiceError(
      "TOO_LARGE",
      `${file}: sheet "${name}" spans ${ordered.length} rows and ${columns.length} columns for ${filled} filled cells`,
      { hint: "Delete the cells outside of the table, or save the table as CSV." },
    );
  }
  const at = new Map(columns.map((column, index) => [column, index]));
  const cells = ordered.map((row) => columns.map((column) => row.cells.get(column) ?? null));
  fillMerged(cells, { file, merged, rows: ordered.map(({ number }) => number), columns });
  const gridRows = cells.flatMap((row, index): readonly GridRow[] =>
    row.every((cell) => cell === null || cell === "") ? [] : [{ at: `row ${ordered[index]?.number ?? 0}`, cells: row }],
  );
  return {
    grid: { file, rows: gridRows },
    hiddenRows,
    unevaluated: new Map([...unevaluated].map(([column, count]) => [at.get(column) ?? 0, count])),
  };
}

interface Merging {
  readonly file: string;
  readonly merged: readonly MergedRange[];
  /** Numbers of the kept rows and columns, ascending. */
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

/**
 * Copies the value of the first cell of each merged range to the rest of it.
 * @throws {SluiceError} DOCUMENT_INVALID  the ranges overlap, so that they cover more cells than the sheet has
 */
function fillMerged(cells: readonly unknown[][], { file, merged, rows, columns }: Merging): void {
  let left = rows.length * columns.length;
  for (const range of merged) {
    const [top, bottom] = [firstFrom(rows, range.top), firstFrom(rows, range.bottom + 1)];
    const [from, to] = [firstFrom(columns, range.left), firstFrom(columns, range.right + 1)];
    left -= Math.max(0, bottom - top) * Math.max(0, to - from);
    if (left < 0) {
      throw new SluiceError("DOCUMENT_INVALID", `${file}: merged cells overlap`, {
        hint: "Unmerge the cells, save the workbook, and use that file.",
      });
    }
    const value = rows[top] === range.top && columns[from] === range.left ? cells[top]?.[from] : null;
    if (value === null || value === undefined) continue;
    for (const row of cells.slice(top, bottom)) row.fill(value, from, to);
  }
}

/** Position of the first number >= `wanted` in an ascending list; its length if there is none. */
function firstFrom(numbers: readonly number[], wanted: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
