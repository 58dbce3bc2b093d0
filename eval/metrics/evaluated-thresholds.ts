import { identityCurve } from "../../src/router/policy/calibrator-curve.js";
import type { RiskTier } from "../../src/documents/choices.js";
import type { CalibratorCurve } from "../../src/documents/calibrator.js";
import type { Claim } from "../../src/documents/calibration.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
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
  /** What the claims are about; absent for thresholds without a claim. */
  readonly claims?: readonly (Pick<Claim, "population"> & Partial<TestedClaim>)[];
}

/** What a claim counted, and its limit. */
export type TestedClaim = Pick<Claim, "errors" | "routed" | "effective_routed" | "upper_bound" | "delta">;

/** The claims that the requests of a fold tested; null if none did, so that their wrong routes have an interval of their own. */
export function claimsTestedOn(
  thresholds: EvaluatedThresholds | null,
  fold: Evaluation["fold"],
): readonly Partial<TestedClaim>[] | null {
  return (fold === "tune" || fold === "certify") && thresholds?.claims !== undefined ? thresholds.claims : null;
}

/** True if the thresholds have a claim about the tested workflows, so that intervals need not allow for others. */
const isAboutThisCatalog = (thresholds: EvaluatedThresholds | null): boolean =>
  thresholds?.claims?.some(({ population }) => population === "this_catalog") === true;

/** What counts as one in the intervals of an evaluation, as in the claim of its thresholds. */
export const clusterKind = (thresholds: EvaluatedThresholds | null): Evaluation["cluster"] =>
  isAboutThisCatalog(thresholds) ? "family" : "workflow";

/** The cluster of a request of that kind; requests without relatives are clusters of their own, out-of-scope groups remain. */
export function clusterOfRecord(
  thresholds: EvaluatedThresholds | null,
  { cluster, family, id, workflow_id: workflowId }: Pick<ScoredRecord, "cluster" | "family" | "id" | "workflow_id">,
): string {
  if (workflowId === null || !isAboutThisCatalog(thresholds)) return cluster;
  return family === undefined ? `row:${id}` : `family:${family}`;
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
