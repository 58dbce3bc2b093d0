import type { Run, ScoredRecord } from "../../src/documents/scored-record.js";
import { SluiceError } from "../../src/base/error.js";
import type { History } from "../../store/history/open.js";
import { type Stored, readScoredRecords, readSplit } from "../../store/records/read-records.js";

/**
 * Reads the scored records of a run, and checks that its split was made for its catalog and dataset.
 * @throws {SluiceError} SPLIT_MISMATCH, and the errors of reading
 */
export function recordsOfRun(history: History, run: Stored<Run>): readonly ScoredRecord[] {
  const split = readSplit(history, run.document.split_sha256).document;
  if (split.catalog_sha256 !== run.document.catalog_sha256 || split.dataset_sha256 !== run.document.dataset_sha256) {
    throw new SluiceError("SPLIT_MISMATCH", "the run and its split name different catalogs or datasets", {
      hint: "Score the dataset again: sluice eval run",
    });
  }
  return readScoredRecords(history, run);
}
