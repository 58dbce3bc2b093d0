import type { EvaluatedThresholds } from "./metrics/evaluated-thresholds.js";

/**
 * Thresholds for an uncalibrated router: the same raw confidence for every tier, and no margin. They carry no claim:
 * use them to compare systems, never to serve.
 * @param threshold  in [0, 1]
 */
export function flatThresholds(threshold: number): EvaluatedThresholds {
  const tier = { confidence: threshold, margin: null, target_risk: null };
  return {
    calibrator: { family: "identity", slope: 1, intercept: 0 },
    tiers: { low: tier, medium: tier, high: tier, critical: tier },
    clarify_threshold: threshold,
    min_retrieval_score: -Number.MAX_VALUE,
    out_of_scope_share: null,
  };
}
