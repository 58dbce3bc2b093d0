import { SluiceError } from "../../../src/errors/error.js";
import type { TableChoices } from "../choices.js";
import type { LeftOutReason, LeftOutRow, ReadMaterial, SourcePart, SourceText } from "../material.js";
import { usableText } from "../usable-text.js";
import { type ChosenColumns, chooseColumns, partWords } from "./choose-columns.js";
import { findHeader } from "./find-header.js";
import { cellText, type Grid, type GridRow } from "./grid.js";

/**
 * The labelled texts of a table. A blank label is never read as out of scope: such rows are left out and listed,
 * because a blank cell usually means an unlabelled row.
 * @throws {SluiceError} DATASET_EMPTY  there are no rows
 * @throws {SluiceError} SCHEMA_INVALID  the columns cannot be distinguished, or a named column is missing
 */
export function textsOfGrid(grid: Grid, choices: TableChoices): ReadMaterial {
  const { header: named, above, rows } = findHeader(grid.rows, chosenNames(choices));
  const first = named ?? rows[0];
  if (first === undefined) {
    throw new SluiceError("DATASET_EMPTY", `${grid.file}: no rows`, { hint: "Use a file with labelled requests." });
  }
  const header = first.cells.map((cell, column) => (named === null ? `column ${column + 1}` : (cellText(cell) ?? "")));
  const columns = columnsOf(grid, header, rows, choices);
  const outOfScope = new Set(choices.outOfScopeLabels.map((label) => label.toLowerCase()));
  const texts: SourceText[] = [];
  const leftOut: LeftOutRow[] = above.map(({ at }) => ({ file: grid.file, at, reason: "above_header" }));
  for (const row of rows) {
    const read = readRow(row, header.length, columns);
    if ("reason" in read) leftOut.push({ file: grid.file, at: row.at, reason: read.reason });
    else {
      const label = outOfScope.has(read.label.toLowerCase()) ? null : read.label;
      texts.push({ file: grid.file, at: row.at, text: read.text, label, part: read.part });
    }
  }
  return { texts, leftOut, workflows: [], decisions: decisionsOf(header, columns, named) };
}

const chosenNames = ({ textColumn, labelColumn, partColumn }: TableChoices): readonly string[] =>
  [textColumn, labelColumn, partColumn].filter((name) => name !== undefined);

function columnsOf(
  { file }: Grid,
  header: readonly string[],
  rows: readonly GridRow[],
  choices: TableChoices,
): ChosenColumns {
  const named = (name: string | undefined): number | null => {
    if (name === undefined) return null;
    const column = header.indexOf(name);
    if (column >= 0) return column;
    throw new SluiceError("SCHEMA_INVALID", `${file}: there is no column "${name}"; found ${header.join(", ")}`, {
      hint: "Name a column of the first row.",
      details: { columns: header },
    });
  };
  const [text, label, part] = [named(choices.textColumn), named(choices.labelColumn), named(choices.partColumn)];
  if (text !== null && label !== null) return { text, label, part };
  const chosen = chooseColumns(header, rows);
  if (chosen === null) {
    throw new SluiceError("SCHEMA_INVALID", `${file}: cannot tell which column holds the texts and which the labels`, {
      hint: `Name two of ${header.join(", ")}: sluice init FILE --text-column NAME --label-column NAME`,
      details: { columns: header },
    });
  }
  return { text: text ?? chosen.text, label: label ?? chosen.label, part: part ?? chosen.part };
}

type ReadRow =
  | { readonly reason: LeftOutReason }
  | { readonly text: string; readonly label: string; readonly part: SourcePart | null };

function readRow({ cells }: GridRow, width: number, columns: ChosenColumns): ReadRow {
  if (cells.slice(width).some((cell) => cellText(cell) !== "")) return { reason: "ragged" };
  const read = usableText(cellText(cells[columns.text]));
  if ("reason" in read) return read;
  const label = cellText(cells[columns.label]);
  if (label === null || label === "") return { reason: "no_label" };
  const part = columns.part === null ? null : (partWords[(cellText(cells[columns.part]) ?? "").toLowerCase()] ?? null);
  return { text: read.text, label, part };
}

function decisionsOf(header: readonly string[], { text, label, part }: ChosenColumns, named: GridRow | null) {
  return [
    named === null ? "The file has no header row." : `${headerPlace(named)}.`,
    `Texts come from "${header[text] ?? ""}", labels from "${header[label] ?? ""}".`,
    ...(part === null ? [] : [`"${header[part] ?? ""}" marks the rows for training, validation and testing.`]),
  ];
}

/** Origin of the column names: a row, or the fields of objects. */
function headerPlace({ at }: GridRow): string {
  if (!/^(?:line|row) /.test(at)) return "The fields are the columns";
  return at.endsWith(" 1") ? "The first row names the columns" : `The header in ${at} names the columns`;
}
