import { extname } from "node:path";
import type { exportedRows } from "../choices.js";
import { candidateTable, requestTable } from "../../eval/export/request-table.js";
import { tableFormats } from "../../eval/export/table-bytes.js";
import { replaceFile } from "../../src/base/files.js";
import { SluiceError } from "../../src/base/error.js";
import type { History } from "../../store/history/open.js";
import { type DecidedRun, decidedRun, type DecideRunOptions } from "./decided-run.js";
import { textsOfRun } from "./request-texts.js";

export interface ExportRequestsOptions extends DecideRunOptions {
  /** The extension sets the format: .arrow, .csv or .parquet. An existing file is replaced. */
  readonly file: string;
  readonly rows: (typeof exportedRows)[number];
  /** Adds the request texts from the dataset; the file is then readable by this user only. */
  readonly withTexts: boolean;
}

export interface ExportedRequests extends DecidedRun {
  readonly columns: readonly string[];
  readonly rows: number;
}

const openMode = 0o644;
const privateMode = 0o600;

/**
 * Writes the scored requests of a run as a table.
 * @throws {SluiceError} USAGE  another extension, or texts of candidates; WRITE_FAILED; those of `decidedRun` and
 *   `textsOfRun`
 */
export async function exportRequests(history: History, options: ExportRequestsOptions): Promise<ExportedRequests> {
  const write = writerFor(options.file);
  if (options.withTexts && options.rows === "candidates") {
    throw new SluiceError("USAGE", "a table of candidates cannot contain texts", {
      hint: "Export the requests with --with-texts, and join the tables by id.",
    });
  }
  const decided = decidedRun(history, options);
  const { requests, run, thresholds } = decided;
  const table =
    options.rows === "requests"
      ? requestTable(requests, options.withTexts ? textsOfRun(history, run) : null)
      : candidateTable(requests, thresholds?.document.calibrator);
  await replaceFile(options.file, write(table), options.withTexts ? privateMode : openMode);
  return { ...decided, columns: table.map(({ name }) => name), rows: table[0]?.values.length ?? 0 };
}

function writerFor(file: string): (typeof tableFormats)[keyof typeof tableFormats] {
  const ending = extname(file).toLowerCase();
  const found = Object.entries(tableFormats).find(([known]) => known === ending);
  if (found !== undefined) return found[1];
  throw new SluiceError("USAGE", `${file}: expected a file ending in ${Object.keys(tableFormats).join(", ")}`, {
    hint: "For example: sluice eval export requests.parquet",
  });
}
