import { SluiceError } from "../../../src/errors/error.js";
import type { TableChoices } from "../choices.js";
import type { LeftOutReason, LeftOutRow, ReadMaterial, SourcePart, SourceText } from "../material.js";
import { isNamed, names, partWords, plainName, speakers } from "../names.js";
import { severalMark } from "../labels.js";
import { joinedText, usableText } from "../plain-text.js";
import { type ChosenColumns, chooseColumns, type OpenChoice } from "./choose-columns.js";
import { findHeader } from "./find-header.js";
import { cellText, comparedWith, type Grid, type GridRow } from "./grid.js";

/** A table with its columns chosen, or what a person has to choose. */
export interface OpenedGrid {
  readonly grid: Grid;
  readonly header: readonly string[];
  readonly named: GridRow | null;
  readonly above: readonly GridRow[];
  readonly rows: readonly GridRow[];
  readonly columns: ChosenColumns | OpenChoice;
}

/**
 * Finds the header and the columns of a table.
 * @throws {SluiceError} DATASET_EMPTY  there are no rows
 * @throws {SluiceError} SCHEMA_INVALID  a named column is missing
 */
export function openGrid(grid: Grid, choices: TableChoices): OpenedGrid {
  const { textColumn, labelColumn, partColumn } = choices;
  const given = [textColumn, labelColumn, partColumn].filter((name) => name !== undefined);
  const { header: named, above, rows } = findHeader(grid.rows, given);
  const first = named ?? rows[0];
  if (first === undefined) {
    throw new SluiceError("DATASET_EMPTY", `${grid.file}: no rows`, { hint: "Use a file with labelled requests." });
  }
  const width = named === null ? Math.max(...rows.slice(0, 50).map(({ cells }) => cells.length)) : first.cells.length;
  const header = Array.from({ length: width }, (_, column) =>
    named === null ? `column ${column + 1}` : (cellText(first.cells[column]) ?? ""),
  );
  const at = (name: string | undefined): number | null => {
    if (name === undefined) return null;
    const column = header.indexOf(name);
    if (column >= 0) return column;
    throw new SluiceError("SCHEMA_INVALID", `${grid.file}: there is no column "${name}"; found ${header.join(", ")}`, {
      hint: "Name a column of the first row.",
      details: { columns: header },
    });
  };
  const columns = chooseColumns(header, rows, { text: at(textColumn), label: at(labelColumn), part: at(partColumn) });
  return { grid, header, named, above, rows, columns };
}

/**
 * The labelled texts of a table. A blank label is never read as out of scope: such rows are left out and listed,
 * because a blank cell usually means an unlabelled row.
 * @throws {SluiceError} those of `openGrid`; SCHEMA_INVALID  nothing but a person can tell the columns apart
 */
export function textsOfGrid(grid: Grid, choices: TableChoices): ReadMaterial {
  const opened = openGrid(grid, choices);
  const { columns, header, rows } = opened;
  if ("open" in columns) return columnPerLabel(opened) ?? refuseColumns(opened, columns, choices);
  const texts: SourceText[] = [];
  const leftOut: LeftOutRow[] = opened.above.map(({ at }) => ({ file: grid.file, at, reason: "above_header" }));
  const lists = isNamed(header[columns.text] ?? "", names.texts);
  for (const row of rows) {
    const { label, reason } = labelOf(row, header, columns);
    const cells =
      lists || Array.isArray(row.cells[columns.text]) ? phrasesOf(row.cells[columns.text]) : [row.cells[columns.text]];
    for (const [index, cell] of cells.entries()) {
      const at = cells.length === 1 ? row.at : `${row.at} text ${index + 1}`;
      const text = usableText(cellText(joinedText(cell)));
      if (reason !== null && reason !== "no_label") leftOut.push({ file: grid.file, at, reason });
      else if ("reason" in text) leftOut.push({ file: grid.file, at, reason: text.reason });
      else if (reason !== null) leftOut.push({ file: grid.file, at, reason });
      else texts.push({ file: grid.file, at, text: text.text, label, part: partOf(row, columns) });
    }
  }
  const name = (column: number): string => header[column] ?? "";
  return {
    texts,
    leftOut,
    workflows: [],
    decisions: decisionsOf(opened, columns),
    columns: {
      textColumn: name(columns.text),
      labelColumn: name(columns.label),
      partColumn: columns.part === null ? null : name(columns.part),
    },
  };
}

/** The phrases of a cell that holds a list of them, or one on each line. */
function phrasesOf(cell: unknown): readonly unknown[] {
  if (Array.isArray(cell)) return cell.length === 0 ? [""] : (cell as readonly unknown[]);
  if (typeof cell !== "string") return [cell];
  const lines = cell.split(/\r?\n/).filter((line) => line.trim() !== "");
  return lines.length === 0 ? [cell] : lines;
}

interface RowLabel {
  readonly label: string;
  readonly reason: LeftOutReason | null;
}

function labelOf({ cells }: GridRow, header: readonly string[], { label: column, role }: ChosenColumns): RowLabel {
  const compared = header[column] === "__expected";
  if (cells.slice(header.length).some((cell) => cellText(cell) !== "")) return { label: "", reason: "ragged" };
  if (role !== null && speakers[plainName(cellText(cells[role]) ?? "")] === "other")
    return { label: "", reason: "not_user" };
  const cell = cells[column];
  const found = Array.isArray(cell)
    ? cell.map((item) => cellText(item) ?? "").join(severalMark)
    : (cellText(cell) ?? "");
  const label = compared ? (comparedWith(found) ?? "") : found;
  return { label, reason: label === "" ? "no_label" : null };
}

const partOf = ({ cells }: GridRow, { part }: ChosenColumns): SourcePart | null =>
  part === null ? null : (partWords[(cellText(cells[part]) ?? "").toLowerCase()] ?? null);

function decisionsOf({ header, named, rows }: OpenedGrid, columns: ChosenColumns): readonly string[] {
  const { text, label, part, role, alsoTexts, alsoLabels } = columns;
  const name = (column: number): string => header[column] ?? "";
  const quoted = (all: readonly number[]): string => all.map((column) => `"${name(column)}"`).join(", ");
  const used = new Set([text, label, part, role, ...alsoTexts, ...alsoLabels]);
  const unused = header.flatMap((_, column) => (used.has(column) || name(column) === "" ? [] : [column]));
  const also = (what: string, flag: string, [first, ...more]: readonly number[]): readonly string[] =>
    first === undefined
      ? []
      : [
          `${quoted([first, ...more])} also look${more.length === 0 ? "s" : ""} like a ${what}: ${flag} "${name(first)}".`,
        ];
  const said = role === null ? [] : [...new Set(rows.map(({ cells }) => cellText(cells[role]) ?? ""))].slice(0, 5);
  return [
    named === null ? "The file has no header row." : `${headerPlace(named)}.`,
    `Texts come from "${name(text)}", labels from "${name(label)}".`,
    ...also("request text", "--text-column", alsoTexts),
    ...also("label", "--label-column", alsoLabels),
    ...(unused.length === 0 ? [] : [`Unused columns: ${quoted(unused)}.`]),
    ...(part === null ? [] : [`"${name(part)}" marks the rows for training, validation and testing.`]),
    ...(role === null ? [] : [`"${name(role)}" says who speaks (${said.join(", ")}); only rows of the user are used.`]),
  ];
}

/** Origin of the column names: a row, or the fields of objects. */
function headerPlace({ at }: GridRow): string {
  if (!/^(?:line|row) /.test(at)) return "The fields are the columns";
  return at.endsWith(" 1") ? "The first row names the columns" : `The header in ${at} names the columns`;
}

/** Columns from which a table with a column for each label is recognised. */
const fewestLabelColumns = 3;

/** A table whose columns are the labels and whose cells are all texts; null when it is not one. */
function columnPerLabel({ grid, header, named, above, rows, columns }: OpenedGrid): ReadMaterial | null {
  const wide = "open" in columns && columns.open === "label" && columns.candidates.length === 0 && named !== null;
  const filled = header.flatMap((name, column) => (name.trim() === "" ? [] : [{ name, column }]));
  const isTexts = (column: number): boolean => {
    const cells = rows.map(({ cells: own }) => cellText(own[column]) ?? "").filter((cell) => cell !== "");
    return cells.length > 0 && cells.filter((cell) => /\s/.test(cell)).length * 2 > cells.length;
  };
  if (!wide || filled.length < fewestLabelColumns || !filled.every(({ column }) => isTexts(column))) return null;
  const texts: SourceText[] = [];
  const leftOut: LeftOutRow[] = above.map(({ at }) => ({ file: grid.file, at, reason: "above_header" }));
  for (const { at: place, cells } of rows) {
    for (const { name, column } of filled) {
      const read = usableText(cellText(cells[column]));
      const at = `${place} ${name}`;
      if ("text" in read) texts.push({ file: grid.file, at, text: read.text, label: name, part: null });
      else if (read.reason !== "no_text") leftOut.push({ file: grid.file, at, reason: read.reason });
    }
  }
  return {
    texts,
    leftOut,
    workflows: [],
    decisions: [`Each of the ${filled.length} columns holds the texts of one label.`],
  };
}

/** Rows that are shown where a person chooses at a terminal. */
const exampleRows = 3;

/** A choice that only a person can make, as the details of the refusal carry it. */
export interface ColumnQuestion {
  readonly open: "text" | "label";
  readonly columns: readonly { readonly name: string; readonly examples: readonly string[] }[];
}

function refuseColumns(opened: OpenedGrid, { open, candidates }: OpenChoice, choices: TableChoices): never {
  const { grid, header, rows } = opened;
  const flag = `--${open}-column`;
  const given = choices.labelColumn === undefined ? "" : ` --label-column "${choices.labelColumn}"`;
  const kept =
    open === "text" ? given : choices.textColumn === undefined ? "" : ` --text-column "${choices.textColumn}"`;
  const named = (columns: readonly number[]): string => columns.map((column) => `"${header[column] ?? ""}"`).join(", ");
  const all = header.flatMap((name, column) => (name === "" ? [] : [column]));
  const what = open === "text" ? "what the user said" : "the label";
  const examples = (column: number): readonly string[] =>
    rows
      .map(({ cells }) => cellText(cells[column]) ?? "")
      .filter((cell) => cell !== "")
      .slice(0, exampleRows);
  const question: ColumnQuestion = {
    open,
    columns: (candidates.length > 0 ? candidates : all).map((column) => ({
      name: header[column] ?? "",
      examples: examples(column),
    })),
  };
  throw new SluiceError(
    "SCHEMA_INVALID",
    candidates.length > 1
      ? `${grid.file}: ${candidates.length} columns may hold ${what}: ${named(candidates)}`
      : `${grid.file}: no column seems to hold ${what}; found ${named(all)}`,
    {
      hint: `Name it: sluice init FILE ${flag} "${header[candidates[0] ?? all[0] ?? 0] ?? ""}"${kept}`,
      details: { columns: header, question: { open, columns: question.columns.map(({ name }) => name) } },
      ...(candidates.length > 1 ? { cause: new UnsettledColumns(question) } : {}),
    },
  );
}

/** Carries the example rows of an open choice to a person at a terminal; they never reach a message or a log. */
export class UnsettledColumns extends Error {
  readonly question: ColumnQuestion;

  constructor(question: ColumnQuestion) {
    super("columns that a person has to tell apart");
    this.question = question;
  }
}
