import { kindOf } from "../kind-of.js";
import type { TableRow } from "./table.js";

/** A cell that cannot be used. */
export interface CellFault {
  readonly column: string;
  /** What was found, in kind, and what was expected. */
  readonly rule: string;
}

const maximumText = 8000;
const maximumName = 160;

/**
 * Reads the cells of one row. A bad cell is recorded in `faults` and read as missing, so that all faults of a row are
 * found at once; the row is used only when there are none. An undefined column reads as missing.
 */
export class RowReader {
  readonly faults: CellFault[] = [];
  readonly #cells: TableRow["cells"];

  constructor(row: TableRow) {
    this.#cells = row.cells;
  }

  /** A request text: not blank, at most 8,000 characters. */
  text(column: string): string {
    const value = this.#cells.get(column);
    if (typeof value === "string" && value.trim() !== "" && value.length <= maximumText) return value;
    return this.#fault(column, "a text of 1 to 8,000 characters", "");
  }

  /** A label: null for null and for the given values. */
  label(column: string, outOfScopeValues: readonly string[]): string | null {
    const value = this.#cells.get(column);
    if (value === null) return null;
    const label = plainText(value);
    if (label !== null && outOfScopeValues.includes(label)) return null;
    if (label !== null && label.trim() !== "") return label;
    return this.#fault(column, "a workflow, or a value of --out-of-scope-value", null);
  }

  /** A short text or a number; null when the cell is empty. */
  name(column: string | undefined): string | null {
    const value = column === undefined ? null : this.#cells.get(column);
    if (column === undefined || isEmpty(value)) return null;
    const name = plainText(value);
    return name !== null && name.length <= maximumName
      ? name
      : this.#fault(column, "a text of at most 160 characters, or a number", null);
  }

  /** Like `name`, but required. */
  requiredName(column: string): string {
    return isEmpty(this.#cells.get(column)) ? this.#fault(column, "a name", "") : (this.name(column) ?? "");
  }

  /** A list of names: a list, the JSON of one, or names separated by spaces, commas, semicolons or bars. */
  names(column: string | undefined): readonly string[] | null {
    const value = column === undefined ? null : this.#cells.get(column);
    if (column === undefined || isEmpty(value)) return null;
    const list = typeof value === "string" ? namesIn(value) : value;
    if (Array.isArray(list) && list.every((item) => typeof item === "string" && item !== "")) return list;
    return this.#fault(column, "a list of names", null);
  }

  /** An object, or the JSON of one. */
  object(column: string | undefined): Readonly<Record<string, unknown>> | null {
    const value = column === undefined ? null : this.#cells.get(column);
    if (column === undefined || isEmpty(value)) return null;
    const object = typeof value === "string" ? parsedJson(value) : value;
    if (typeof object === "object" && object !== null && !Array.isArray(object)) {
      return object as Readonly<Record<string, unknown>>;
    }
    return this.#fault(column, "an object, or the JSON of one", null);
  }

  #fault<T>(column: string, expected: string, instead: T): T {
    this.faults.push({ column, rule: `found ${kindOf(this.#cells.get(column))}, expected ${expected}` });
    return instead;
  }
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "";

function plainText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

function namesIn(text: string): unknown {
  if (text.trimStart().startsWith("[")) return parsedJson(text);
  return text.split(/[\s,;|]+/).filter((name) => name !== "");
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
