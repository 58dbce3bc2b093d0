import readSheets from "read-excel-file/universal";
import { SluiceError } from "../../../src/errors/error.js";
import type { SourceFile } from "../../importers/imported-dataset.js";
import { withCompactSheets } from "./compact-sheets.js";
import type { Grid } from "./grid.js";

/** The sheet that was read, and the number of others. */
export interface WorkbookGrid {
  readonly grid: Grid;
  readonly sheet: string;
  /** Names of the sheets that hold rows and were not read. */
  readonly others: readonly string[];
}

/**
 * The sheet of an Excel workbook (.xlsx) with the most rows, or a named one. Dates become ISO dates.
 * @throws {SluiceError} SYNTAX_INVALID  the workbook cannot be read
 * @throws {SluiceError} TOO_LARGE  as `withCompactSheets`
 * @throws {SluiceError} SCHEMA_INVALID  there is no sheet of that name
 */
export async function readXlsx(source: SourceFile, name?: string): Promise<WorkbookGrid> {
  const { file } = source;
  const sheets = await readCompact(source).catch((cause: unknown) => {
    if (cause instanceof SluiceError) throw cause;
    throw new SluiceError("SYNTAX_INVALID", `${file}: the workbook cannot be read`, {
      hint: "Open it, save it as .xlsx or CSV, and use that file.",
      cause,
    });
  });
  const [largest] = sheets.toSorted((a, b) => b.data.length - a.data.length);
  const chosen = name === undefined ? largest : sheets.find(({ sheet }) => sheet === name);
  if (chosen === undefined) {
    const found = sheets.map(({ sheet }) => sheet).join(", ");
    throw new SluiceError("SCHEMA_INVALID", `${file}: no sheet "${name ?? ""}"; found ${found}`, {
      hint: "Name one of these sheets: sluice init FILE --sheet NAME",
    });
  }
  const rows = chosen.data.flatMap(([number, ...cells]) => {
    const plain = (cells as readonly unknown[]).map((cell) => (cell instanceof Date ? cell.toISOString() : cell));
    return plain.every((cell) => cell === null || cell === "") ? [] : [{ at: `row ${String(number)}`, cells: plain }];
  });
  const others = sheets.filter(({ sheet, data }) => sheet !== chosen.sheet && data.length > 0);
  return { grid: { file, rows }, sheet: chosen.sheet, others: others.map(({ sheet }) => sheet) };
}

async function readCompact(source: SourceFile) {
  return readSheets(Uint8Array.from(withCompactSheets(source)).buffer);
}
