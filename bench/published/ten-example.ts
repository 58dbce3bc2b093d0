import { SluiceError } from "../../src/base/error.js";
import { fitCalibration } from "../../calibrate/fit-calibration.js";
import type { Sha256 } from "../../src/base/sha256.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { CalibratorCurve, CalibratorFamily } from "../../src/documents/calibrator.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { topEligible } from "../../src/router/policy/apply-calibration.js";
import { decide } from "../../src/router/policy/decide.js";
import { expectedCalibrationError } from "../../eval/stats/reliability.js";
import { scoreTable } from "../../eval/stats/roc.js";
import type { ScoredProtocol } from "./score-catalog.js";

/** The claim (maximum wrong share of the routed requests, and its confidence) and the calibrator. */
export interface Promised {
  readonly target: number;
  readonly delta: number;
  readonly calibrator: CalibratorFamily;
}
export const promise: Promised = { target: 0.05, delta: 0.05, calibrator: "request-features" };
/** Declared share of out-of-scope requests: 1,000 of the 5,500 test requests. */
export const declaredShare = 0.18;
const crossFitParts = 5;
/**
 * Number of errors that the first tested threshold allows; a stricter start could fail because of a single unlucky
 * request.
 */
const initialAllowedErrors = [5];

/** One row. Shares are in [0, 1]; null if nothing was routed. */
export interface Row {
  /** Share of in-scope test requests whose right workflow the retriever ranks first. */
  readonly top1: number;
  readonly recall_at_5: number;
  /** The same share after verification, without a threshold. */
  readonly verified_top1: number;
  /** Routed share of the in-scope test requests. */
  readonly coverage: number;
  /** Wrong share of the routed in-scope requests. */
  readonly selective_error: number | null;
  /** Wrong share of all routed requests; routing an out-of-scope request counts as wrong. */
  readonly joint_error: number | null;
  /** Routed share of the out-of-scope test requests. */
  readonly oos_false_positive_rate: number;
  /** Expected calibration error over all test requests with 10 equal-width bins, calibrated and uncalibrated. */
  readonly ece: number | null;
  readonly uncalibrated_ece: number;
  /** Why no calibrator could be fitted, so that nothing is routed; absent if one was. */
  readonly failed?: string;
}

const identity: CalibratorCurve = { family: "identity", slope: 1, intercept: 0 };
const noDigest = "0".repeat(64);

/**
 * Fits the thresholds of the protocol on validation records only: calibrator cross-fitted in five parts, exact joint
 * test with the declared share of out-of-scope requests, for new requests for the same workflows.
 */
export function calibrateTenExample(
  validation: readonly ScoredRecord[],
  { target, delta, calibrator }: Promised = promise,
): Calibration {
  return fitCalibration({
    records: validation,
    target_risk: target,
    delta,
    out_of_scope_share: declaredShare,
    claim: "fixed-catalog",
    cross_fit: crossFitParts,
    calibrator,
    start_errors: initialAllowedErrors,
    digests: {
      catalog: noDigest as Sha256,
      dataset: noDigest as Sha256,
      split: noDigest as Sha256,
      run: noDigest as Sha256,
    },
    version: "clinc150-ten-example",
  });
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

function calibrationError(records: readonly ScoredRecord[], calibrator: CalibratorCurve): number {
  const tops = records.map(({ candidates }) => topEligible(calibrator, candidates));
  const right = tops.map((top, i) => top !== null && top.workflow_id === records[i]?.workflow_id);
  const stated = tops.map((top) => top?.confidence ?? 0);
  return expectedCalibrationError(scoreTable(stated, right)).value ?? Number.NaN;
}

/** Results on the test records under thresholds fitted on the validation records. */
export function tenExampleRow({ validation, test }: ScoredProtocol, promised: Promised = promise): Row {
  const calibration = fittedOrFailed(validation, promised);
  const inScope = test.filter((record) => record.workflow_id !== null);
  const outside = test.filter((record) => record.workflow_id === null);
  const countRouted = (records: readonly ScoredRecord[], onlyWrong: boolean): number =>
    records.filter((record) => {
      if ("failed" in calibration) return false;
      const decision = decide(record, calibration);
      return decision.decision === "ROUTE" && !(onlyWrong && decision.workflow_id === record.workflow_id);
    }).length;
  const [routed, wrong, routedOutside] = [
    countRouted(inScope, false),
    countRouted(inScope, true),
    countRouted(outside, false),
  ];
  const among = (most: number): number =>
    inScope.filter(({ gold_rank: goldRank }) => goldRank !== null && goldRank <= most).length / inScope.length;
  return {
    top1: among(1),
    recall_at_5: among(5),
    verified_top1:
      inScope.filter((record) => topEligible(identity, record.candidates)?.workflow_id === record.workflow_id).length /
      inScope.length,
    coverage: routed / inScope.length,
    selective_error: share(wrong, routed),
    joint_error: share(wrong + routedOutside, routed + routedOutside),
    oos_false_positive_rate: routedOutside / outside.length,
    ece: "failed" in calibration ? null : calibrationError(test, calibration.calibrator),
    uncalibrated_ece: calibrationError(test, identity),
    ...("failed" in calibration ? calibration : {}),
  };
}

function fittedOrFailed(
  validation: readonly ScoredRecord[],
  promised: Promised,
): Calibration | { readonly failed: string } {
  try {
    return calibrateTenExample(validation, promised);
  } catch (error) {
    if (error instanceof SluiceError && error.code === "FIT_FAILED") return { failed: error.message };
    throw error;
  }
}
