import type { HistoryKind } from "../../store/history/history-kind.js";
import type { RecordDocuments } from "../../store/records/record-readers.js";
import { type Stored, readRecord } from "../../store/records/read-records.js";
import type { HistoryEntry } from "../../store/history/entry.js";
import { listEntries } from "../../store/history/read.js";
import { withHistory } from "../../store/records/with-history.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";

/** Which entries are listed; each condition must hold. */
export interface ListRecordsOptions {
  readonly kind?: HistoryKind | undefined;
  /** Who wrote them. */
  readonly actor?: string | undefined;
  /** UTC, whole seconds, inclusive, e.g. "2026-03-01T00:00:00Z". */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/**
 * Lists what the history holds, oldest first. The id of a record is the `sha256` of its entry.
 *
 * @example const runs = await listRecords(workbench, { kind: "run" });
 * @throws {SluiceError} FILE_NOT_FOUND  there is no history; DB_BUSY
 */
export async function listRecords(
  workbench: WorkbenchContext,
  options: ListRecordsOptions = {},
): Promise<readonly HistoryEntry[]> {
  return withHistory(workbench, "read", async ({ history }) => listEntries(history, options));
}

/** Which record is read. */
export interface ReadStoredOptions<K extends HistoryKind> {
  readonly kind: K;
  /** Id of the record or its beginning, at least four digits. Default: the latest of its kind. */
  readonly id?: string | undefined;
}

/**
 * Reads one record. Its document is checked and typed by its kind, whatever version it was written in.
 *
 * @example const { document } = await readStored(workbench, { kind: "calibration" });
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, ENTRY_TAMPERED, SYNTAX_INVALID, SCHEMA_INVALID
 */
export async function readStored<K extends HistoryKind>(
  workbench: WorkbenchContext,
  options: ReadStoredOptions<K>,
): Promise<Stored<RecordDocuments[K]>> {
  return withHistory(workbench, "read", async ({ history }) => readRecord(history, options.kind, options.id));
}
