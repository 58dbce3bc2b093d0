import { command, say, SluiceError } from "../../../src/base/error.js";
import type { SourceFile } from "../../importers/imported-dataset.js";
import { cellText, type Grid } from "./grid.js";
import { type Sheet, sheetsOf } from "./read-workbook.js";
import { counted } from "../../../src/documents/number-text.js";
import type { TableChoices } from "../choices.js";
import { meaningOf } from "../names.js";
import { openGrid, type OpenedGrid } from "./texts-of-grid.js";

/**
 * Reads an Excel workbook (.xlsx): the named sheet; or all visible sheets if each contains the texts of one label; or,
 * of the visible sheets with recognised columns, the one with the most rows. Dates become ISO dates, and merged cells
 * all get their common value.
 * @throws {SluiceError} DOCUMENT_INVALID  the workbook cannot be read; TOO_LARGE as `sheetsOf`
 * @throws {SluiceError} DOCUMENT_INVALID  there is no sheet of that name
 */
export function readXlsx(
  source: SourceFile,
  choices: TableChoices & { readonly sheet?: string },
): { readonly grid: Grid; readonly notes: readonly string[]; readonly about?: unknown } {
  const { file } = source;
  const { sheet: named } = choices;
  const sheets = sheetsOf(source);
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
      hint: say`Name one of these sheets: ${command`sluice init FILE --sheet NAME`}`,
    });
  }
  const skipped = (what: string, all: readonly Sheet[]): readonly string[] => {
    const others = all.filter((sheet) => sheet !== chosen).map(({ name }) => name);
    return others.length === 0 ? [] : [`Skipped ${what}: ${others.join(", ")}.`];
  };
  const hidden = filled.filter((sheet) => sheet.hidden);
  const { opened } = open.find(({ sheet }) => sheet === chosen) ?? { opened: openGrid(chosen.grid, {}) };
  const notes = [
    `The sheet "${chosen.name}" was read.`,
    ...skipped("sheets", visible),
    ...skipped("hidden sheets", hidden),
    ...(chosen.hiddenRows === 0 ? [] : [`${chosen.hiddenRows} rows that a filter hides were read as well.`]),
    ...formulaNotes(file, chosen, opened, choices),
  ];
  return { grid: chosen.grid, notes, about: { names: codesIn(visible.filter((sheet) => sheet !== chosen)) } };
}

/**
 * Names the columns whose formulas have no stored result.
 * @throws {SluiceError} DOCUMENT_INVALID  one of them seems to hold the texts or the labels, and no column was chosen
 */
function formulaNotes(
  file: string,
  { unevaluated }: Sheet,
  { header }: OpenedGrid,
  { labelColumn, textColumn }: TableChoices,
): readonly string[] {
  return [...unevaluated].map(([column, count]) => {
    const name = header[column] ?? "";
    const said = `${counted(count, "cell")} of "${name}" hold${count === 1 ? "s" : ""} a formula without a stored result`;
    const { text, label } = meaningOf(name);
    if (text + label === 0 || labelColumn !== undefined || textColumn !== undefined) return `${said}.`;
    throw new SluiceError("DOCUMENT_INVALID", `${file}: ${said}`, {
      hint: "Open the workbook in a spreadsheet program, save it, and use that file.",
    });
  });
}

/** Names by code from sheets of two columns; the first name of a code counts. */
function codesIn(sheets: readonly Sheet[]): Readonly<Record<string, string>> {
  const rows = sheets.flatMap(({ grid }) => {
    const pairs = grid.rows.map(({ cells }) => cells.map((cell) => cellText(cell) ?? "").filter((text) => text !== ""));
    return pairs.every(({ length }) => length <= 2) ? pairs : [];
  });
  const pairs = rows.flatMap(([code, name]) =>
    code !== undefined && name !== undefined && /^\d+$/.test(code) ? [[code, name] as const] : [],
  );
  return Object.fromEntries(pairs.toReversed());
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
