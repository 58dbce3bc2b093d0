import type { CalibratedCandidate, Decision } from "../../src/documents/decision.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { topEligible } from "../../src/router/policy/apply-calibration.js";
import { decide, declineBeforeScoring } from "../../src/router/policy/decide.js";
import type { EvaluatedThresholds } from "./evaluated-thresholds.js";

/** A scored record with its outcome under a calibration. */
export interface RecordOutcome {
  readonly record: ScoredRecord;
  readonly inScope: boolean;
  /**
   * Eligible candidate with the highest confidence; null if the pipeline ended earlier or no candidate was eligible.
   */
  readonly top: CalibratedCandidate | null;
  /** Whether `top` is the gold workflow; false for an out-of-scope request. */
  readonly topIsRight: boolean;
  /** null if there is no calibration. */
  readonly decision: Decision | null;
}

/** Calibrator used without a calibration: the confidence is the verifier's own probability. */
const identityCalibrator = { slope: 1, intercept: 0 } as const;

/** @param record  must not have an `error_code` */
export function outcomeOf(record: ScoredRecord, calibration: EvaluatedThresholds | null): RecordOutcome {
  const top = topEligible(calibration?.calibrator ?? identityCalibrator, record.candidates);
  return {
    record,
    inScope: record.workflow_id !== null,
    top,
    topIsRight: top !== null && top.workflow_id === record.workflow_id,
    decision: calibration === null ? null : decisionOf(record, calibration),
  };
}

function decisionOf(record: ScoredRecord, calibration: EvaluatedThresholds): Decision {
  if (record.early_reason !== null) return declineBeforeScoring(record.early_reason);
  return decide(record.candidates, calibration);
}
