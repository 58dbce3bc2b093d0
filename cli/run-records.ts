import type { CalibrationWire } from "../src/domain/calibration.js";
import type { RunWire, ScoredRecord } from "../src/domain/scored-record.js";
import type { History } from "../src/history/open.js";
import { entryOf, recordBytes, shortId } from "./records.js";

export interface StoredRun {
  readonly sha256: string;
  readonly run: RunWire;
  /** In the order of the data set. */
  readonly records: readonly ScoredRecord[];
}

/** A run with its scored records, by id or the latest one. */
export async function runOf(history: History, id: string | undefined): Promise<StoredRun> {
  const { checkSchema } = await import("../src/domain/check-schema.js");
  const { RunSchema } = await import("../src/domain/scored-record.js");
  const { readScoredTable } = await import("../eval/scored-table.js");
  const { sha256 } = await entryOf(history, "run", id);
  const what = `run ${shortId(sha256)}`;
  const value: unknown = JSON.parse((await recordBytes(history, sha256)).toString("utf8"));
  const run = checkSchema(RunSchema, value, what);
  return { sha256, run, records: readScoredTable(await recordBytes(history, run.records_sha256), what) };
}

export interface StoredCalibration {
  readonly sha256: string;
  readonly document: CalibrationWire;
}

/** A calibration by id or the latest one. */
export async function calibrationOf(history: History, id: string | undefined): Promise<StoredCalibration> {
  const { checkSchema } = await import("../src/domain/check-schema.js");
  const { CalibrationSchema } = await import("../src/domain/calibration.js");
  const { sha256 } = await entryOf(history, "calibration", id);
  const value: unknown = JSON.parse((await recordBytes(history, sha256)).toString("utf8"));
  return { sha256, document: checkSchema(CalibrationSchema, value, `calibration ${shortId(sha256)}`) };
}

/** As `calibrationOf`, or null when none was named and the history has none. */
export async function calibrationIfAny(history: History, id: string | undefined): Promise<StoredCalibration | null> {
  const { latestEntry } = await import("../src/history/read.js");
  if (id === undefined && latestEntry(history, "calibration") === undefined) return null;
  return calibrationOf(history, id);
}
