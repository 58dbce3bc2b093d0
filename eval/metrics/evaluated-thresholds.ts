import { identityCurve } from "../../src/router/policy/calibrator-curve.js";
import type { RiskTier } from "../../src/documents/choices.js";
import type { CalibratorCurve } from "../../src/documents/calibrator.js";
import type { DecisionThresholds } from "../../src/router/policy/decide.js";

/** Thresholds with the metadata that an evaluation shows. Every calibration has this shape. */
export interface EvaluatedThresholds extends DecisionThresholds {
  readonly tiers: Readonly<
    Record<
      RiskTier,
      { readonly confidence: number | null; readonly margin: number | null; readonly target_risk: number | null }
    >
  >;
  /** Declared share of out-of-scope traffic; null if none was declared. */
  readonly out_of_scope_share: number | null;
  /**
   * For each request that tested these thresholds, by id, the calibrator that was fitted without it. All other requests
   * are decided by `calibrator`. Absent if nothing was tested on requests that the calibrator learned from.
   */
  readonly testedBy?: ReadonlyMap<string, CalibratorCurve> | undefined;
}

/** The calibrator that decides a request of an evaluation; without thresholds, none. */
export const calibratorOfRequest = (thresholds: EvaluatedThresholds | null, requestId: string): CalibratorCurve =>
  thresholds === null ? identityCurve : (thresholds.testedBy?.get(requestId) ?? thresholds.calibrator);

/** The thresholds that decide a request of an evaluation: as the claim tested it, if it did. */
export function thresholdsOfRequest<T extends EvaluatedThresholds>(thresholds: T, requestId: string): T {
  return thresholds.testedBy === undefined
    ? thresholds
    : { ...thresholds, calibrator: calibratorOfRequest(thresholds, requestId) };
}
