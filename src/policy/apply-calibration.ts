import type { CalibratorCurve } from "../domain/calibrator.js";
import type { CalibratedCandidate, ScoredCandidate } from "../domain/decision.js";
import { curveAt } from "./calibrator-curve.js";
import { noEvidence, type RequestEvidence, requestEvidence } from "./request-evidence.js";

/** Decimals of a confidence: thresholds are certified on the rounded number, so it is the number that is compared. */
const scale = 1e6;

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
export function calibratedConfidence(
  calibrator: CalibratorCurve,
  z: number,
  evidence: RequestEvidence = noEvidence,
): number {
  return Math.round(curveAt(calibrator, z, evidence) * scale) / scale;
}

/** Difference of two rounded confidences, rounded again so that it is a deployable decimal. */
export function marginOf(first: number, second: number): number {
  return Math.round((first - second) * scale) / scale;
}

/** Calibrators may give different logits one confidence; they never reverse an order of logits. */
function inDecisionOrder(a: CalibratedCandidate, b: CalibratedCandidate): number {
  if (a.confidence !== b.confidence) return b.confidence - a.confidence;
  const byLogit = matchLogit(b.logits) - matchLogit(a.logits);
  if (byLogit !== 0) return byLogit;
  if (a.retrievalScore !== b.retrievalScore) return b.retrievalScore - a.retrievalScore;
  return a.workflowId < b.workflowId ? -1 : 1;
}

function evidenceOf(candidates: readonly ScoredCandidate[]): RequestEvidence {
  return requestEvidence(
    candidates.map(({ workflowId, eligible, retrievalScore, logits }) => ({
      workflowId,
      eligible,
      retrievalScore,
      logit: matchLogit(logits),
    })),
  );
}

/**
 * Candidates with their confidence in decision order: confidence, then logit, then retrieval score, then id.
 * A pure function of the candidates: what the whole request says moves all of its confidences in the same direction.
 */
export function applyCalibration(
  calibrator: CalibratorCurve,
  candidates: readonly ScoredCandidate[],
): readonly CalibratedCandidate[] {
  const evidence = calibrator.family === "evidence" ? evidenceOf(candidates) : noEvidence;
  const confidenceOf = ({ logits }: ScoredCandidate) => calibratedConfidence(calibrator, matchLogit(logits), evidence);
  return candidates
    .map(
      // Written out: a spread costs several times as much, and this runs for every request.
      (candidate): CalibratedCandidate => ({
        workflowId: candidate.workflowId,
        riskTier: candidate.riskTier,
        eligible: candidate.eligible,
        retrievalScore: candidate.retrievalScore,
        logits: candidate.logits,
        missingInputs: candidate.missingInputs,
        inputTimeout: candidate.inputTimeout,
        confidence: confidenceOf(candidate),
      }),
    )
    .sort(inDecisionOrder);
}
