import type { SourcePart } from "../material.js";
import { cellText, type GridRow } from "./grid.js";

/** The columns that a table was read by; positions from 0. */
export interface ChosenColumns {
  readonly text: number;
  readonly label: number;
  /** Column of the published part (train, validation, test); null when there is none. */
  readonly part: number | null;
}

/** Header names in the order in which they are preferred; compared in lower case, signs dropped. */
const textNames = [
  "text",
  "utterance",
  "request",
  "query",
  "question",
  "message",
  "sentence",
  "phrase",
  "body",
  "input",
  "prompt",
  "example",
  "content",
  "customermessage",
  "usertext",
  "userutterance",
  "subject",
  "description",
  "summary",
  "title",
];
const labelNames = [
  "workflowid",
  "workflow",
  "intent",
  "label",
  "category",
  "intentname",
  "class",
  "target",
  "route",
  "topic",
  "tag",
  "expected",
  "queue",
  "type",
];
const partNames = ["split", "part", "role", "fold", "partition", "set", "dataset"];

/** Parts as published sets name them. */
export const partWords: Readonly<Record<string, SourcePart>> = {
  train: "train",
  training: "train",
  val: "validation",
  valid: "validation",
  validation: "validation",
  dev: "validation",
  test: "test",
  testing: "test",
  eval: "test",
};

/** Rows that are examined. */
const examinedRows = 1000;

/**
 * Columns by their names, else by content: labels repeat and are short, texts are long and differ. Null when two
 * columns cannot be distinguished that way.
 */
export function chooseColumns(header: readonly string[], rows: readonly GridRow[]): ChosenColumns | null {
  const names = header.map(plainName);
  const leaves = header.map((name) => plainName(name.slice(name.lastIndexOf(".") + 1)));
  const examined = rows.slice(0, examinedRows);
  const named = (wanted: readonly string[], isFree: (column: number) => boolean): number | null => {
    const fits = (column: number): boolean => isFree(column) && !holdsObjects(column, examined);
    return byName(names, wanted, fits) ?? byName(leaves, wanted, fits);
  };
  const part = partColumn(names, examined);
  const free = (column: number): boolean => column !== part;
  const label = named(labelNames, free) ?? byContent(names.length, examined, free, labelScore);
  if (label === null) return null;
  const isText = (column: number): boolean => free(column) && column !== label;
  const text = named(textNames, isText) ?? byContent(names.length, examined, isText, textScore);
  return text === null ? null : { text, label, part };
}

/** Whether the first row names columns: known names, or cells that differ in kind from what follows. */
export function isHeader(first: GridRow, rows: readonly GridRow[]): boolean {
  const cells = first.cells.map((cell) => plainName(cellText(cell) ?? ""));
  const known = new Set([...textNames, ...labelNames, ...partNames, "id", "domain", "language"]);
  if (cells.some((cell) => known.has(cell))) return true;
  const below = rows.slice(0, examinedRows);
  const repeated = cells.some((cell, column) => cell !== "" && below.some((row) => sameCell(row, column, cell)));
  const named = cells.filter((cell) => cell !== "");
  if (repeated || new Set(named).size < named.length || below.length === 0) return false;
  return first.cells.every((cell) => wordsOf(cell) <= 3) || cells.some((_, column) => holdsLabels(column, below));
}

/** Number of words of a cell; signs are no words. */
const wordsOf = (cell: unknown): number => (cellText(cell) ?? "").match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

/** Whether a column has few values and each of them at least twice: a different cell above it is its name. */
function holdsLabels(column: number, rows: readonly GridRow[]): boolean {
  const counts = new Map<string, number>();
  const filled = rows.map((row) => plainName(cellText(row.cells[column]) ?? "")).filter((cell) => cell !== "");
  for (const cell of filled) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  return counts.size > 1 && counts.size * 3 <= filled.length && [...counts.values()].every((count) => count > 1);
}

const sameCell = (row: GridRow, column: number, name: string): boolean =>
  plainName(cellText(row.cells[column]) ?? "") === name;

const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

function byName(names: readonly string[], wanted: readonly string[], free: (column: number) => boolean): number | null {
  for (const name of wanted) {
    const column = names.findIndex((found, index) => found === name && free(index));
    if (column >= 0) return column;
  }
  return null;
}

/** A column is a part only when its name says so and every cell is the name of a part. */
function partColumn(names: readonly string[], rows: readonly GridRow[]): number | null {
  const column = names.findIndex((name) => partNames.includes(name));
  if (column < 0) return null;
  const words = rows.map((row) => (cellText(row.cells[column]) ?? "").toLowerCase());
  return words.length > 0 && words.every((word) => partWords[word] !== undefined) ? column : null;
}

/** Whether most cells hold something other than text: nested fields have separate columns. */
function holdsObjects(column: number, rows: readonly GridRow[]): boolean {
  return rows.filter((row) => cellText(row.cells[column]) === null).length * 2 > rows.length;
}

interface ColumnFacts {
  /** Share of distinct cells, in [0, 1]. */
  readonly distinct: number;
  /** Mean length of a cell, in characters. */
  readonly length: number;
  /** Share of the cells that hold text, in [0, 1]. */
  readonly filled: number;
  /** Whether every filled cell has the same value. */
  readonly constant: boolean;
  /** Share of the filled cells that are amounts, dates or times, in [0, 1]. */
  readonly measured: number;
}

/** Digits with signs between them, perhaps with a currency: `1.299,00 €`, `EUR 12.50`, `2026-03-01 12:00`. */
const measure =
  /^(?:\p{Sc}|[A-Z]{3})?\s*[-+]?\d+(?:[.,:/' -]+\d+)+\s*(?:\p{Sc}|[A-Z]{3}|%)?$|^\p{Sc}\s*\d+$|^\d+\s*\p{Sc}$/u;

function factsOf(column: number, rows: readonly GridRow[]): ColumnFacts {
  const cells = rows.map((row) => cellText(row.cells[column]) ?? "").filter((cell) => cell !== "");
  const count = Math.max(1, cells.length);
  const different = new Set(cells).size;
  return {
    distinct: different / count,
    constant: different < 2,
    measured: cells.filter((cell) => measure.test(cell)).length / count,
    length: cells.reduce((sum, cell) => sum + cell.length, 0) / count,
    filled: cells.length / Math.max(1, rows.length),
  };
}

/** Higher is more like a label; null for a column that cannot be one. */
const labelScore = ({ distinct, length, filled, constant, measured }: ColumnFacts): number | null =>
  !constant && measured <= 0.5 && distinct <= 0.5 && length <= 60 && length >= 2 && filled >= 0.5
    ? filled - distinct
    : null;

/** Higher is more like a request text; null for a column that cannot be one. */
const textScore = ({ distinct, length, filled }: ColumnFacts): number | null =>
  length >= 8 && filled >= 0.5 && distinct >= 0.3 ? length : null;

function byContent(
  columns: number,
  rows: readonly GridRow[],
  free: (column: number) => boolean,
  score: (facts: ColumnFacts) => number | null,
): number | null {
  let best: { readonly column: number; readonly score: number } | null = null;
  for (let column = 0; column < columns; column += 1) {
    if (!free(column)) continue;
    const found = score(factsOf(column, rows));
    if (found !== null && (best === null || found > best.score)) best = { column, score: found };
  }
  return best?.column ?? null;
}
