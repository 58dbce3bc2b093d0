import { shownFold } from "../../eval/shown-fold.js";
import { identityCurve } from "../../calibrate/calibrator-families.js";
import { type EvaluatedThresholds } from "../../eval/metrics/evaluated-thresholds.js";
import { decideRequests } from "../../eval/requests/decided-request.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { expectedCalibrationError, reliabilityBins } from "../../eval/stats/reliability.js";
import { scoreTable } from "../../eval/stats/score-table.js";

interface ReliabilityOptions {
  readonly calibration: EvaluatedThresholds;
  readonly topK: number;
}

/** Confidence of the requests of fold EVAL under the verifier's own probability, and under a calibration. */
export function reliabilityOfRun(records: readonly ScoredRecord[], { calibration, topK }: ReliabilityOptions) {
  return {
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
  return { reliability: reliabilityBins(scores), expectedCalibrationError: expectedCalibrationError(scores) };
}
