import type { Calibration, TierCalibration } from "../src/domain/calibration.js";

const noDigest = "0".repeat(64);

/**
 * Thresholds for a router that was never calibrated: one confidence for every tier, no margin, the confidence as it is.
 * It claims nothing: no target, no evidence, and digests of zeros. For comparing systems, never for serving.
 * @param threshold  in [0, 1]
 */
export function flatCalibration(threshold: number): Calibration {
  const tier: TierCalibration = {
    confidence: threshold,
    margin: null,
    abstainReason: null,
    message: "",
    targetRisk: 1,
    delta: 1,
    claim: "none: a threshold that was given",
    certifyRequests: 0,
    routed: 0,
    errors: 0,
    workflows: 0,
    upperBound: null,
    trace: [],
  };
  return {
    schemaVersion: 1,
    calibrationVersion: `threshold-${threshold}`,
    calibrator: { family: "identity", slope: 1, intercept: 0, fittedRequests: 0, fittedErrors: 0 },
    calibratorCandidates: [],
    claim: "fixed-catalog",
    traffic: {
      declared: false,
      tierMix: null,
      expected: { outOfScopeShare: 0, coverage: null, falseRouteRate: null, upperBound: null },
      sensitivity: [],
    },
    operatingCost: null,
    tiers: { low: tier, medium: tier, high: tier, critical: tier },
    clarifyThreshold: threshold,
    minRetrievalScore: -Number.MAX_VALUE,
    jointDelta: 1,
    method: "fixed-sequence-exact-binomial-n-eff",
    population: "none",
    outOfScopeShare: 0,
    digests: { catalog: noDigest, dataset: noDigest, split: noDigest, run: noDigest },
    warnings: [],
  };
}
