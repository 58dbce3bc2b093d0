import { counted } from "../src/documents/number-text.js";
import { command, say, SluiceError, type Text } from "../src/base/error.js";
import { groupBy } from "../src/base/group-by.js";

/** One fault of one row of a source. It never contains a value of the row. */
export interface BadRow {
  readonly file: string;
  /** Position of the row in its file, e.g. "line 3" or "oos_train row 7". */
  readonly at: string;
  /** Column name or field path; "" for the whole row. */
  readonly column: string;
  /** Kind of the found value, and what was expected. */
  readonly rule: string;
}

/** Number of faults that the error message lists; the rest are only counted. */
const namedFaults = 10;

/** Collects the faults of a source while it is read, so that one run reports all of them. */
export class BadRows {
  readonly #limit: number;
  readonly #faults: BadRow[] = [];

  /** @param limit  maximum number of bad rows, which are left out; >= 0 */
  constructor(limit = 0) {
    this.#limit = limit;
  }

  add(fault: BadRow): void {
    this.#faults.push(fault);
  }

  /**
   * Finishes reading.
   * @returns  all faults in the order they were found; their rows are not part of the dataset
   * @throws {SluiceError} DOCUMENT_INVALID  there are more bad rows than the limit
   */
  settle(
    hint: Text = say`Correct these rows and run the command again, or skip them: ${command`sluice dataset import FILE --format FORMAT --max-bad-rows COUNT`}`,
  ): readonly BadRow[] {
    const rows = new Set(this.#faults.map(({ file, at }) => `${file}\0${at}`)).size;
    if (rows <= this.#limit) return this.#faults;
    const named = inWords(this.#faults.slice(0, namedFaults));
    const more = this.#faults.length > namedFaults ? `; and ${this.#faults.length - namedFaults} more` : "";
    const allowed =
      this.#limit === 0 ? "" : ` (${counted(rows, "invalid row")}, at most ${this.#limit} may be skipped)`;
    throw new SluiceError("DOCUMENT_INVALID", `${named}${more}${allowed}`, {
      hint,
      details: { problems: this.#faults },
    });
  }
}

/** Formats faults as one sentence that names each file once. */
function inWords(faults: readonly BadRow[]): string {
  const inOne = ({ at, column, rule }: BadRow): string => `${at}${column === "" ? "" : ` column ${column}`}: ${rule}`;
  return [...groupBy(faults, ({ file }) => file)]
    .map(([file, own]) => `${file}: ${own.map(inOne).join("; ")}`)
    .join("; ");
}
