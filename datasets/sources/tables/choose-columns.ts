import { decidedOnly, isNamed, meaningOf, names, partWords, plainName, speakers } from "../names.js";
import { cellText, type GridRow } from "./grid.js";

/** The columns used to read a table, as 0-based positions. */
export interface ChosenColumns {
  readonly text: number;
  readonly label: number;
  /** Column of the published part (train, validation, test); null if there is none. */
  readonly part: number | null;
  /** Column of the speaker; null if there is none. */
  readonly role: number | null;
  /** Columns that could have been chosen instead, most likely first. */
  readonly alsoTexts: readonly number[];
  readonly alsoLabels: readonly number[];
}

/** A choice between columns that only a person can make. `none`: no column fits. */
export interface OpenChoice {
  readonly open: "text" | "label";
  readonly candidates: readonly number[];
}

/** Columns that the user specified; null if unspecified. */
export interface NamedColumns {
  readonly text: number | null;
  readonly label: number | null;
  readonly part: number | null;
}

/** Number of examined rows. */
const examinedRows = 1000;

/**
 * Chooses columns by name first, then by content: the text column contains what the *user* said, the label column what
 * a *person* decided. If names do not decide and several columns fit, a person has to choose.
 */
export function chooseColumns(
  header: readonly string[],
  rows: readonly GridRow[],
  given: NamedColumns,
): ChosenColumns | OpenChoice {
  const examined = rows.slice(0, examinedRows);
  const part = given.part ?? partColumn(header, examined);
  const role = roleColumn(header, examined);
  const free = header
    .map((name, at) => ({ at, ...meaningOf(name), ...factsOf(at, examined) }))
    .filter(({ at, filled, objects }) => at !== part && at !== role && filled > 0 && !objects);
  const labels = settled(given.label, labelCandidates(free.filter(({ at }) => at !== given.text)));
  const [label] = labels.sure;
  if (label === undefined) return { open: "label", candidates: labels.close };
  const texts = settled(given.text, textCandidates(free.filter(({ at }) => at !== label)));
  const [text] = texts.sure;
  if (text === undefined) return { open: "text", candidates: texts.close };
  const others = (all: readonly number[]): readonly number[] => all.filter((at) => at !== text && at !== label);
  return { text, label, part, role, alsoTexts: others(texts.all), alsoLabels: others(labels.all) };
}

/** Applies the column that the user specified, if any. */
const settled = (given: number | null, found: Candidates): Candidates =>
  given === null ? found : { sure: [given], close: [], all: found.all };

/**
 * `sure`: the chosen column first; empty if a person has to choose among `close`. `all`: all columns that fit, best
 * first.
 */
interface Candidates {
  readonly sure: readonly number[];
  readonly close: readonly number[];
  readonly all: readonly number[];
}

type Column = { readonly at: number } & ReturnType<typeof meaningOf> & ColumnFacts;

function textCandidates(columns: readonly Column[]): Candidates {
  const score = (column: Column): number => {
    const named = (column.text >= 4 && column.letters > 0.5) || isFreeText(column) ? column.text : 0;
    const spoken = column.speaker && named === 0 && isFreeText(column) ? 9 : named;
    return column.filled < 0.5 ? spoken / 4 : spoken;
  };
  const named = columns
    .filter((column) => score(column) > 0 && column.kind !== "truth")
    .toSorted((a, b) => score(b) - score(a));
  const byContent = columns.filter((column) => isFreeText(column) && score(column) === 0);
  const said = byContent.filter(({ answer }) => !answer);
  const order = [...named, ...said, ...byContent.filter(({ answer }) => answer)].map(({ at }) => at);
  const open = said.length > 0 ? said : byContent;
  if (named.length > 0 || open.length === 1) return { sure: order, close: [], all: order };
  return { sure: [], close: open.map(({ at }) => at), all: order };
}

function labelCandidates(columns: readonly Column[]): Candidates {
  const named = columns
    .filter((column) => column.label > 0 && column.kind !== "truth" && !isProse(column))
    .filter((column) => column.label !== decidedOnly || isLabelLike(column))
    .toSorted((a, b) => b.label - a.label);
  const byContent = columns.filter((column) => isLabelLike(column) && !named.includes(column) && !column.predicted);
  const likely = byContent.filter(({ aside }) => !aside).toSorted((a, b) => a.distinct - b.distinct);
  const order = [...named, ...likely, ...byContent.filter(({ aside }) => aside)].map(({ at }) => at);
  const nested = likely.every((column, index) => index === 0 || refines(column, likely[index - 1]));
  const open = likely.length > 0 ? likely : byContent;
  if (named.length > 0 || open.length === 1 || (likely.length > 1 && nested))
    return { sure: order, close: [], all: order };
  return { sure: [], close: open.map(({ at }) => at), all: order };
}

/**
 * Whether each value of a column always occurs with the same value of a coarser column, as in two levels of a
 * hierarchy.
 */
function refines(fine: Column, coarse: Column | undefined): boolean {
  if (coarse === undefined) return false;
  const above = new Map<string, string>();
  for (const [row, cell] of fine.cells.entries()) {
    const outer = coarse.cells[row] ?? "";
    if ((above.get(cell) ?? outer) !== outer) return false;
    above.set(cell, outer);
  }
  return true;
}

/** Cells that are column names on their own. */
const headerNames = new Set([...names.text, ...names.label, ...names.part, ...names.texts, "id", "domain", "language"]);

/** Whether the first row is a header: it has known names, or its cells differ in kind from the cells below. */
export function isHeader(first: GridRow, rows: readonly GridRow[]): boolean {
  const cells = first.cells.map((cell) => plainName(cellText(cell) ?? ""));
  if (cells.some((cell) => headerNames.has(cell))) return true;
  const below = rows.slice(0, examinedRows);
  const repeated = cells.some((cell, column) => cell !== "" && below.some((row) => sameCell(row, column, cell)));
  const named = cells.filter((cell) => cell !== "");
  if (repeated || new Set(named).size < named.length || below.length === 0) return false;
  return (
    first.cells.every((cell) => wordsOf(cellText(cell) ?? "") <= 3) || cells.some((_, at) => holdsLabels(at, below))
  );
}

/**
 * Whether a column has few values that each occur at least twice. A different cell above them is then the column name.
 */
function holdsLabels(column: number, rows: readonly GridRow[]): boolean {
  const counts = new Map<string, number>();
  const filled = rows.map((row) => plainName(cellText(row.cells[column]) ?? "")).filter((cell) => cell !== "");
  for (const cell of filled) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  return counts.size > 1 && counts.size * 3 <= filled.length && [...counts.values()].every((count) => count > 1);
}

const sameCell = (row: GridRow, column: number, name: string): boolean =>
  plainName(cellText(row.cells[column]) ?? "") === name;

/** The part column: it has the name of a part column, and every cell is the name of a part. */
function partColumn(header: readonly string[], rows: readonly GridRow[]): number | null {
  const column = header.findIndex((name) => isNamed(name, names.part));
  if (column < 0) return null;
  const words = rows.map((row) => (cellText(row.cells[column]) ?? "").toLowerCase());
  return words.length > 0 && words.every((word) => partWords[word] !== undefined) ? column : null;
}

/** The speaker column: it has the name of a speaker column, and its cells are names of speakers including the user. */
function roleColumn(header: readonly string[], rows: readonly GridRow[]): number | null {
  const column = header.findIndex((name) => isNamed(name.slice(name.lastIndexOf(".") + 1), names.role));
  if (column < 0) return null;
  const said = rows.map((row) => speakers[plainName(cellText(row.cells[column]) ?? "")]);
  return said.includes("user") && said.includes("other") && said.every((one) => one !== undefined) ? column : null;
}

interface ColumnFacts {
  readonly cells: readonly string[];
  /** Share of distinct cells, in [0, 1]. */
  readonly distinct: number;
  /** Mean length of a filled cell, in characters; characters of scripts without spaces count three times. */
  readonly length: number;
  /** Mean number of words of a filled cell. */
  readonly words: number;
  /** Share of the filled cells with a letter, in [0, 1]. */
  readonly letters: number;
  /** Share of the cells with text, in [0, 1]. */
  readonly filled: number;
  /** Whether most cells contain lists or objects. */
  readonly objects: boolean;
  /** Kind of most filled cells. */
  readonly kind: "text" | "measure" | "link" | "truth" | "constant";
}

/** Digits with punctuation, optionally with a currency: `1.299,00 €`, `EUR 12.50`, `2026-03-01 12:00`. */
const measure =
  /^(?:\p{Sc}|[A-Z]{3})?\s*[-+]?\d+(?:[.,:/' -]+\d+)+\s*(?:\p{Sc}|[A-Z]{3}|%)?$|^\p{Sc}\s*\d+$|^\d+\s*\p{Sc}$/u;
const link = /^(?:https?:\/\/\S+|[^\s@]+@[^\s@]+\.[a-z]+|[0-9a-f]{8}-[0-9a-f-]{20,}|\d{4}-\d\d-\d\dT[\d:.]+\S*)$/i;
const truth = /^(?:true|false|yes|no|[01]|y|n)$/i;
const scriptsWithoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/**
 * Number of words of a text. Punctuation does not count; in scripts without spaces, two characters count as one word.
 */
const wordsOf = (text: string): number =>
  (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) + Math.floor((text.match(scriptsWithoutSpaces)?.length ?? 0) / 2);

function factsOf(column: number, rows: readonly GridRow[]): ColumnFacts {
  const cells = rows.map((row) => firstText(row.cells[column]));
  const filled = cells.filter((cell) => cell !== "");
  const count = Math.max(1, filled.length);
  const share = (pattern: RegExp): number => filled.filter((cell) => pattern.test(cell)).length / count;
  const mean = (size: (cell: string) => number): number => filled.reduce((sum, cell) => sum + size(cell), 0) / count;
  const different = new Set(filled).size;
  return {
    cells,
    distinct: different / count,
    length: mean((cell) => cell.length + 2 * (cell.match(scriptsWithoutSpaces)?.length ?? 0)),
    words: mean(wordsOf),
    letters: share(/\p{L}/u),
    filled: filled.length / Math.max(1, rows.length),
    objects: rows.filter((row) => isObject(row.cells[column])).length * 2 > rows.length,
    kind:
      share(truth) > 0.9 && different <= 2
        ? "truth"
        : share(link) > 0.5
          ? "link"
          : share(measure) > 0.5
            ? "measure"
            : different < 2
              ? "constant"
              : "text",
  };
}

const isObject = (cell: unknown): boolean => cellText(Array.isArray(cell) ? cell[0] : cell) === null;

/** The text of a cell, or of the first item of a list. */
const firstText = (cell: unknown): string =>
  cellText(Array.isArray(cell) ? (cell as readonly unknown[])[0] : cell) ?? "";

/** Whether a column looks like labels: short, repeated values that are not amounts, dates or addresses. */
const isLabelLike = ({ kind, distinct, length, filled }: Column): boolean =>
  kind === "text" && distinct <= 0.5 && length <= 60 && length >= 2 && filled >= 0.5;

/** Whether a column looks like free text: distinct values of several words. */
const isFreeText = ({ kind, words, length, filled, distinct }: Column): boolean =>
  kind === "text" && length >= 8 && words >= 1.5 && filled >= 0.5 && distinct >= 0.3;

/** Whether a column contains sentences, which cannot be workflow names. */
const isProse = ({ words, distinct, cells }: Column): boolean => cells.length > 9 && words >= 5 && distinct > 0.8;
