import type { EvaluatedThresholds } from "./metrics/evaluated-thresholds.js";

/**
 * Thresholds for a router that was never calibrated: one confidence for every tier, no margin, the confidence as it is.
 * They claim nothing. For comparing systems, never for serving.
 * @param threshold  in [0, 1]
 */
export function flatThresholds(threshold: number): EvaluatedThresholds {
  const tier = { confidence: threshold, margin: null, targetRisk: null };
  return {
    calibrator: { family: "identity", slope: 1, intercept: 0 },
    tiers: { low: tier, medium: tier, high: tier, critical: tier },
    clarifyThreshold: threshold,
    minRetrievalScore: -Number.MAX_VALUE,
    outOfScopeShare: null,
  };
}
