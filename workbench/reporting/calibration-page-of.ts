import {
  buildCalibrationPage,
  type CalibrationPage,
  type CalibrationPageInput,
} from "../../reports/calibration/calibration-page.js";
import type { History } from "../history/open.js";
import { readCalibration, readRun, readScoredRecords } from "../records/read-records.js";
import { reliabilityOfRun } from "./reliability-of-run.js";

/** The page of a stored calibration. @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS */
export function calibrationPageOf(
  history: History,
  id: string | undefined,
  added: Pick<CalibrationPageInput, "plan" | "links"> = {},
): { readonly sha256: string; readonly page: CalibrationPage } {
  const { sha256, document } = readCalibration(history, id);
  const run = readRun(history, document.digests.run);
  const reliability = reliabilityOfRun(readScoredRecords(history, run), {
    calibration: document,
    topK: run.document.topK,
  });
  return {
    sha256,
    page: buildCalibrationPage({ calibrationSha256: sha256, calibration: document, reliability, ...added }),
  };
}
