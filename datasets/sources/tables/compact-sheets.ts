import { type Unzipped, unzipSync, zipSync } from "fflate";
import { SluiceError } from "../../../src/errors/error.js";
import type { SourceFile } from "../../importers/imported-dataset.js";

/** Cells that a sheet may span once empty rows and columns are left out. */
const mostCells = 20_000_000;
/** Maximum total size of the unpacked files of a workbook, in bytes. */
const mostBytes = 256 * 1024 * 1024;

const isSheet = (path: string): boolean => /^xl\/worksheets\/[^/]+\.xml$/.test(path);

/** `<row …>` and `<c …>`, with or without a namespace. */
const tag = /<((?:\w+:)?)(row|c)\b([^>]*)>/g;
const address = /\br\s*=\s*["'](?<column>[A-Z]*)(?<row>\d+)["']/;

/**
 * The same workbook without the empty rows and columns of its sheets, so that reading it takes memory by its cells and
 * not by their addresses. Column A of each sheet is new: it contains the number that each row had.
 * @throws {SluiceError} TOO_LARGE  the sheet still spans more than 20,000,000 cells, or unpacks to more than 256 MiB
 * @throws {Error} the archive is damaged
 */
export function withCompactSheets({ file, bytes }: SourceFile): Uint8Array {
  let total = 0;
  const files: Unzipped = unzipSync(bytes, {
    filter: ({ originalSize }) => {
      total += originalSize;
      return total <= mostBytes;
    },
  });
  if (total > mostBytes) throw tooLarge(`${file}: unpacks to more than 256 MiB`);
  const compact = Object.entries(files).map(([path, content]): readonly [string, Uint8Array] => {
    if (!isSheet(path)) return [path, content];
    return [path, Buffer.from(compactSheet(file, Buffer.from(content).toString("utf8")), "utf8")];
  });
  return zipSync(Object.fromEntries(compact), { level: 0 });
}

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
      `${file}: a sheet spans ${rows.size} rows and ${columns.size} columns, at most ${mostCells} cells are read`,
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

/** `<mergeCell ref="A2:B13"/>`. */
const mergedRange = /(<(?:\w+:)?mergeCell\b[^>]*?)\bref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"/g;

/** Position of the first number that is at least `number`; 1 where there is none. */
const placeFrom = (places: ReadonlyMap<number, number>, number: number): number =>
  [...places].find(([own]) => own >= number)?.[1] ?? 1;

/** Position of the last number that is at most `number`; 1 where there is none. */
const placeUpTo = (places: ReadonlyMap<number, number>, number: number): number =>
  [...places].findLast(([own]) => own <= number)?.[1] ?? 1;

interface Address {
  /** From 1; 0 for a row. */
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

/** A is 1, AA is 27. */
const numberOf = (letters: string): number =>
  [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);

/** Positions from 1 in ascending order. */
const positions = (numbers: ReadonlySet<number>): ReadonlyMap<number, number> =>
  new Map([...numbers].sort((a, b) => a - b).map((number, index) => [number, index + 1]));

/** 1 is A, 27 is AA. */
function lettersOf(column: number): string {
  let letters = "";
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

const tooLarge = (message: string): SluiceError =>
  new SluiceError("TOO_LARGE", message, { hint: "Delete the cells outside of the table, or save the table as CSV." });
