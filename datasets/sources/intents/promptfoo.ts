import { SluiceError } from "../../../src/errors/error.js";
import type { LeftOutRow, ReadMaterial, SourceText } from "../material.js";
import { chooseColumns } from "../tables/choose-columns.js";
import { cellText, type Grid } from "../tables/grid.js";

const expected = "__expected";

/** Whether a table is a promptfoo test file. */
export const isPromptfoo = (grid: Grid): boolean => (grid.rows[0]?.cells ?? []).includes(expected);

/**
 * Tests of promptfoo in CSV: the expected output is the label. Only the assertions that name one value are labels
 * (`equals:`, `iequals:`, or a bare value); rows with another assertion are left out.
 * @throws {SluiceError} SCHEMA_INVALID  no column holds the texts
 */
export function readPromptfoo({ file, rows }: Grid): ReadMaterial {
  const [first, ...tests] = rows;
  const header = (first?.cells ?? []).map((cell) => cellText(cell) ?? "");
  const label = header.indexOf(expected);
  const text = textColumn(header, tests, label);
  if (text === null) {
    throw new SluiceError("SCHEMA_INVALID", `${file}: no column other than ${expected} contains the request texts`, {
      hint: "Name the variable of the request text query, text or message.",
    });
  }
  const texts: SourceText[] = [];
  const leftOut: LeftOutRow[] = [];
  for (const { at, cells } of tests) {
    const value = cellText(cells[text]);
    const wanted = labelOf(cellText(cells[label]) ?? "");
    if (value === null || value === "") leftOut.push({ file, at, reason: value === null ? "not_text" : "no_text" });
    else if (wanted === null) leftOut.push({ file, at, reason: "no_label" });
    else texts.push({ file, at, text: value, label: wanted, part: null });
  }
  return {
    texts,
    leftOut,
    workflows: [],
    decisions: [`Texts come from "${header[text] ?? ""}", labels from the values that ${expected} compares with.`],
  };
}

function textColumn(header: readonly string[], rows: Grid["rows"], label: number): number | null {
  const named = header.map((name, column) => (column === label ? "intent" : name.startsWith("__") ? "" : name));
  const chosen = chooseColumns(named, rows);
  if (chosen !== null) return chosen.text;
  const free = named.findIndex((name, column) => name !== "" && column !== label);
  return free < 0 ? null : free;
}

/** The one value that an assertion compares with; null for an assertion of another kind. */
function labelOf(assertion: string): string | null {
  const [, kind, value] = /^([a-z-]+)(?:\([^)]*\))?:\s*(.*)$/s.exec(assertion) ?? [];
  if (kind === undefined) return assertion === "" ? null : assertion;
  if (kind !== "equals" && kind !== "iequals") return null;
  return value === undefined || value.trim() === "" ? null : value.trim();
}
