import type { Detector } from "../../documents/model.js";

/**
 * Log odds of a text under a logistic regression over sentence vectors.
 * @param vector  from the encoder that the detector was fitted on; null without an encoder
 * @returns  null without a detector, or if the vector has another length
 */
export function logOddsOf(detector: Detector | null, vector: Float32Array | null): number | null {
  if (detector === null || vector?.length !== detector.weights.length) return null;
  const { weights } = detector;
  let logOdds = detector.bias;
  for (let d = 0; d < weights.length; d += 1) logOdds += weights[d] * vector[d];
  return logOdds;
}
