import type { CalibratorCurve } from "../../documents/calibrator.js";
import type { CalibratedCandidate, ScoredCandidate } from "../../documents/decision.js";
import { SluiceError } from "../../base/error.js";
import { curveAt, readsColumns, readsRequest, identityCurve } from "./calibrator-curve.js";
import { noFeatures, type RequestFeatures, requestFeatures } from "./request-features.js";

/**
 * A confidence has 6 decimals. Thresholds are certified on the rounded number, so decisions compare the rounded number.
 */
const scale = 1e6;

/**
 * Log odds that the candidate is the right workflow: log of P(needs_input or executable) over P(mismatch). Both
 * matching labels count, because the verifier does not decide whether inputs are missing.
 */
export function matchLogit(logits: ScoredCandidate["logits"]): number {
  const high = Math.max(logits.needs_input, logits.executable);
  const low = Math.min(logits.needs_input, logits.executable);
  return high + Math.log1p(Math.exp(low - high)) - logits.mismatch;
}

const logitsOf = (candidates: readonly ScoredCandidate[]): readonly number[] =>
  candidates.map(({ logits }) => matchLogit(logits));

/** Calibrated probability in [0, 1], rounded to 6 decimals. */
export function calibratedConfidence(
  calibrator: CalibratorCurve,
  z: number,
  features: RequestFeatures = noFeatures,
): number {
  return Math.round(curveAt(calibrator, z, features) * scale) / scale;
}

/** Difference of two rounded confidences, rounded again to remove floating-point error. */
export function marginOf(first: number, second: number): number {
  return Math.round((first - second) * scale) / scale;
}

/**
 * Compares candidates in decision order. A calibrator may map different logits to the same confidence, but never
 * reverses their order.
 */
function inDecisionOrder(a: CalibratedCandidate, b: CalibratedCandidate): number {
  if (a.confidence !== b.confidence) return b.confidence - a.confidence;
  const byLogit = matchLogit(b.logits) - matchLogit(a.logits);
  if (byLogit !== 0) return byLogit;
  if (a.retrieval_score !== b.retrieval_score) return b.retrieval_score - a.retrieval_score;
  return a.workflow_id < b.workflow_id ? -1 : 1;
}

/** @throws {SluiceError} CALIBRATION_INVALID  the calibrator reads columns that the first candidate does not have */
function featuresOf(
  calibrator: CalibratorCurve,
  candidates: readonly ScoredCandidate[],
  logits: readonly number[],
): RequestFeatures {
  if (!readsRequest(calibrator)) return noFeatures;
  const known = requestFeatures(candidates, logits);
  if (known === noFeatures || readsColumns(calibrator, known.verifier?.names ?? [])) return known;
  throw new SluiceError(
    "CALIBRATION_INVALID",
    "the calibration requires features that these scored requests do not contain",
    {
      hint: "Score the requests again with the verifier of the calibration, or fit a calibration on this run.",
    },
  );
}

/**
 * Fields are copied one by one: a spread is twenty times slower, and evaluation runs this for every candidate of every
 * record.
 */
function calibrated(
  candidate: ScoredCandidate,
  calibrator: CalibratorCurve,
  features: RequestFeatures,
  logit: number,
): CalibratedCandidate {
  const found = {
    workflow_id: candidate.workflow_id,
    risk_tier: candidate.risk_tier,
    eligible: candidate.eligible,
    retrieval_score: candidate.retrieval_score,
    logits: candidate.logits,
    missing_inputs: candidate.missing_inputs,
    input_timeout: candidate.input_timeout,
    confidence: calibratedConfidence(calibrator, logit, features),
  };
  return candidate.features === undefined ? found : { ...found, features: candidate.features };
}

/**
 * Adds confidences to the candidates and returns them in decision order: confidence, then logit, then retrieval score,
 * then id. A pure function of the candidates: features of the whole request move all its confidences in the same
 * direction.
 * @throws {SluiceError} CALIBRATION_INVALID  the calibrator reads features that the candidates do not have
 */
export function applyCalibration(
  calibrator: CalibratorCurve,
  candidates: readonly ScoredCandidate[],
): readonly CalibratedCandidate[] {
  const logits = logitsOf(candidates);
  const features = featuresOf(calibrator, candidates, logits);
  return candidates
    .map((candidate, i) => calibrated(candidate, calibrator, features, logits[i] as number))
    .sort(inDecisionOrder);
}

/**
 * The first eligible candidate before calibration: highest logit, then highest retrieval score, then smallest id; null
 * if none is eligible. Calibration does not change which one is first.
 */
export function firstEligible(candidates: readonly ScoredCandidate[]): CalibratedCandidate | null {
  return topEligible(identityCurve, candidates);
}

/** The first eligible candidate of `applyCalibration`; null if none is eligible. Throws the same errors. */
export function topEligible(
  calibrator: CalibratorCurve,
  candidates: readonly ScoredCandidate[],
): CalibratedCandidate | null {
  return leadingCandidates(calibrator, candidates).top;
}

/** The candidates that a decision depends on; null if there are fewer. */
export interface LeadingCandidates {
  readonly first: CalibratedCandidate | null;
  /** First among the eligible candidates. */
  readonly top: CalibratedCandidate | null;
  readonly second: CalibratedCandidate | null;
}

/** Finds the leading candidates in the order of `applyCalibration`, without sorting. Throws the same errors. */
export function leadingCandidates(
  calibrator: CalibratorCurve,
  candidates: readonly ScoredCandidate[],
): LeadingCandidates {
  const logits = logitsOf(candidates);
  const features = featuresOf(calibrator, candidates, logits);
  const isBefore = (a: CalibratedCandidate, b: CalibratedCandidate | null): boolean =>
    b === null || inDecisionOrder(a, b) < 0;
  let first: CalibratedCandidate | null = null;
  let top: CalibratedCandidate | null = null;
  let second: CalibratedCandidate | null = null;
  for (const [i, candidate] of candidates.entries()) {
    const challenger = calibrated(candidate, calibrator, features, logits[i] as number);
    if (isBefore(challenger, first)) first = challenger;
    if (!challenger.eligible) continue;
    if (isBefore(challenger, top)) [top, second] = [challenger, top];
    else if (isBefore(challenger, second)) second = challenger;
  }
  return { first, top, second };
}
