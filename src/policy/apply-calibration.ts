import type { Calibrator } from "../domain/calibration.js";
import type { CalibratedCandidate, ScoredCandidate } from "../domain/decision.js";

/** Decimals of a confidence: thresholds are certified on the rounded number, so it is the number that is compared. */
const scale = 1e6;

function sigma(t: number): number {
  if (t >= 0) return 1 / (1 + Math.exp(-t));
  const e = Math.exp(t);
  return e / (1 + e);
}

/**
 * Evidence that the candidate is the right workflow: log of P(needs_input or executable) over P(mismatch).
 * Whether inputs are missing is not the verifier's business, so both matching classes count.
 */
export function matchLogit(logits: ScoredCandidate["logits"]): number {
  const high = Math.max(logits.needsInput, logits.executable);
  const low = Math.min(logits.needsInput, logits.executable);
  return high + Math.log1p(Math.exp(low - high)) - logits.mismatch;
}

/** Calibrated probability in [0, 1], rounded to 6 decimals. */
export function calibratedConfidence(calibrator: Pick<Calibrator, "slope" | "intercept">, z: number): number {
  return Math.round(sigma(calibrator.slope * z + calibrator.intercept) * scale) / scale;
}

/** Difference of two rounded confidences, rounded again so that it is a deployable decimal. */
export function marginOf(first: number, second: number): number {
  return Math.round((first - second) * scale) / scale;
}

function byConfidence(a: CalibratedCandidate, b: CalibratedCandidate): number {
  if (a.confidence !== b.confidence) return b.confidence - a.confidence;
  if (a.retrievalScore !== b.retrievalScore) return b.retrievalScore - a.retrievalScore;
  return a.workflowId < b.workflowId ? -1 : 1;
}

/** Spelled out: a spread is twenty times slower, and evaluation does this for every candidate of every record. */
function calibrated(
  candidate: ScoredCandidate,
  calibrator: Pick<Calibrator, "slope" | "intercept">,
): CalibratedCandidate {
  return {
    workflowId: candidate.workflowId,
    riskTier: candidate.riskTier,
    eligible: candidate.eligible,
    retrievalScore: candidate.retrievalScore,
    logits: candidate.logits,
    missingInputs: candidate.missingInputs,
    inputTimeout: candidate.inputTimeout,
    confidence: calibratedConfidence(calibrator, matchLogit(candidate.logits)),
  };
}

/** Candidates with their confidence in decision order: confidence, then retrieval score, then id. */
export function applyCalibration(
  calibrator: Pick<Calibrator, "slope" | "intercept">,
  candidates: readonly ScoredCandidate[],
): readonly CalibratedCandidate[] {
  return candidates.map((candidate) => calibrated(candidate, calibrator)).sort(byConfidence);
}

/** The first eligible candidate of `applyCalibration`, without sorting; null when none is eligible. */
export function topEligible(
  calibrator: Pick<Calibrator, "slope" | "intercept">,
  candidates: readonly ScoredCandidate[],
): CalibratedCandidate | null {
  let top: CalibratedCandidate | null = null;
  for (const candidate of candidates) {
    if (!candidate.eligible) continue;
    const challenger = calibrated(candidate, calibrator);
    if (top === null || byConfidence(challenger, top) < 0) top = challenger;
  }
  return top;
}
