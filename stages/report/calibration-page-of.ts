import {
  buildCalibrationPage,
  type CalibrationPage,
  type CalibrationPageInput,
} from "../../reports/calibration/calibration-page.js";
import type { History } from "../../store/history/open.js";
import { readCalibration, readRun, readScoredRecords } from "../../store/records/read-records.js";
import { shownFold } from "../../eval/shown-fold.js";
import { identityCurve } from "../../calibrate/calibrator-families.js";
import type { EvaluatedThresholds } from "../../eval/metrics/evaluated-thresholds.js";
import { decideRequests } from "../../eval/requests/decided-request.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { expectedCalibrationError, reliabilityBins } from "../../eval/stats/reliability.js";
import { scoreTable } from "../../eval/stats/score-table.js";

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
    topK: run.document.top_k,
  });
  return {
    sha256,
    page: buildCalibrationPage({ calibrationSha256: sha256, calibration: document, reliability, ...added }),
  };
}

interface ReliabilityOptions {
  readonly calibration: EvaluatedThresholds;
  readonly topK: number;
}

/** Reliability on held-out requests (on CERTIFY if there are none), uncalibrated and under a calibration. */
function reliabilityOfRun(records: readonly ScoredRecord[], { calibration, topK }: ReliabilityOptions) {
  return {
    fold: shownFold(records, "eval"),
    before: reliabilityUnder(records, { calibration: { ...calibration, calibrator: identityCurve }, topK }),
    after: reliabilityUnder(records, { calibration, topK }),
  };
}

function reliabilityUnder(records: readonly ScoredRecord[], { calibration, topK }: ReliabilityOptions) {
  const outcomes = decideRequests(records, { thresholds: calibration, topK, fold: shownFold(records, "eval") }).flatMap(
    ({ outcome }) => outcome ?? [],
  );
  const scores = scoreTable(
    outcomes.map(({ top }) => top?.confidence ?? 0),
    outcomes.map(({ topIsRight }) => topIsRight),
  );
  return { bins: reliabilityBins(scores), error: expectedCalibrationError(scores) };
}
