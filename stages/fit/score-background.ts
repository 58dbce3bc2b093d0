import type { Background } from "../../calibrate/background-rows.js";
import { readScoredTable, scoredTableBytes } from "../../eval/scored-table.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { clusterOf } from "../../src/documents/dataset.js";
import type { FitOptions } from "../../src/documents/calibration.js";
import type { Run } from "../../src/documents/scored-record.js";
import { scoreOverRun } from "../score/score-over-run.js";
import type { History } from "../../store/history/open.js";
import { getBlob } from "../../store/history/read.js";
import type { Stored } from "../../store/records/read-records.js";
import type { Session } from "../../store/records/session.js";
import type { BackgroundRequests } from "./background-source.js";

/** A scored background, and the bytes that are stored with the calibration: the requests and their scores. */
export interface ScoredBackground {
  readonly background: Background;
  readonly attachments: readonly [Uint8Array, Uint8Array];
}

/** Scores background requests over the catalog of a run with its models. */
export async function scoreBackground(
  session: Session,
  run: Stored<Run>,
  { requests, workers }: { readonly requests: BackgroundRequests; readonly workers: number },
): Promise<ScoredBackground> {
  const { bytes, rows } = requests;
  const foldOf = new Map(rows.map((row) => [clusterOf(row), "tune"] as const));
  const records = await scoreOverRun(session, run, { rows, foldOf, workers });
  const table = scoredTableBytes(records);
  const background = { requestsSha256: sha256Hex(bytes), recordsSha256: sha256Hex(table), records };
  return { background, attachments: [bytes, table] };
}

/** The background that a calibration names, with the stored scores. @throws {SluiceError} ENTRY_TAMPERED, RECORD_NOT_FOUND */
export function storedBackground(history: History, named: FitOptions["background"]): Background | undefined {
  if (named === undefined) return undefined;
  const { requests_sha256, records_sha256 } = named;
  const records = readScoredTable(getBlob(history, records_sha256), "scored background");
  return { requestsSha256: requests_sha256, recordsSha256: records_sha256, records };
}
