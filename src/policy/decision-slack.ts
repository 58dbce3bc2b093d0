import type { CalibratedCandidate, ReasonCode, ScoredCandidate } from "../domain/decision.js";
import { applyCalibration, matchLogit } from "./apply-calibration.js";
import { distanceToJump } from "./calibrator-curve.js";
import { isCertifiedWorkflow } from "./certified-workflow.js";
import { acceptedReason, decide, type DecisionThresholds } from "./decide.js";

/** How far scores may move, each one on its own, before the decision can become another one. */
export interface DecisionSlack {
  /** Smallest change of confidences that can alter the decision; Infinity when none can. */
  readonly confidence: number;
  /** Smallest change of retrieval scores that can; Infinity when none can. */
  readonly retrieval: number;
}

/** Largest difference of a confidence between a run that is shared with other requests and a run alone. */
export const confidenceTolerance = 1e-3;
/** The same for a match logit: a confidence of the verifier moves by at most a quarter of it. */
const logitTolerance = 4 * confidenceTolerance;
/** The same for a retrieval score. */
export const retrievalTolerance = 1e-4;

/**
 * Whether scores from shared runs decide as scores from runs alone would, as long as they differ by less than the
 * tolerances.
 *
 * @param boundaryGap  distance of the retrieval scores of the last candidate and the first that is none; null without
 */
export function isSettled(slack: DecisionSlack, boundaryGap: number | null): boolean {
  if (slack.confidence < confidenceTolerance || slack.retrieval < retrievalTolerance) return false;
  // Both scores of the gap may move.
  return boundaryGap === null || boundaryGap / 2 >= retrievalTolerance;
}

/**
 * The slack of `decide(candidates, thresholds)`: every change of all confidences by less than `confidence`, together
 * with every change of all retrieval scores by less than `retrieval`, leaves decision, reason and workflow unchanged;
 * a larger change of one kind can alter them.
 */
export function decisionSlack(candidates: readonly ScoredCandidate[], thresholds: DecisionThresholds): DecisionSlack {
  const ranked = applyCalibration(thresholds.calibrator, candidates);
  const eligible = ranked.filter((candidate) => candidate.eligible);
  const [top] = eligible;
  if (top === undefined) return { confidence: Number.POSITIVE_INFINITY, retrieval: Number.POSITIVE_INFINITY };

  const bestRetrieval = Math.max(...candidates.map((candidate) => candidate.retrievalScore));
  const retrieval = Math.abs(bestRetrieval - thresholds.minRetrievalScore);
  if (bestRetrieval < thresholds.minRetrievalScore) return { confidence: Number.POSITIVE_INFINITY, retrieval };

  const sentinel = ranked.find((candidate) => !candidate.eligible);
  const toSentinel = sentinel === undefined ? [] : [Math.abs(top.confidence - sentinel.confidence) / 2];
  if (sentinel !== undefined && ranked[0] === sentinel) return { confidence: Math.min(...toSentinel), retrieval };

  // Over a jump of the calibrator the smallest change of a score is a large change of a confidence.
  const jumps = candidates.some(
    ({ logits }) => distanceToJump(thresholds.calibrator, matchLogit(logits)) < logitTolerance,
  );
  if (jumps) return { confidence: 0, retrieval };

  const { reasonCode, workflowId } = decide(candidates, thresholds);
  const others = eligible
    .flatMap((candidate) => reachableOutcomes(candidate, eligible, thresholds))
    .filter((outcome) => outcome.reasonCode !== reasonCode || outcome.workflowId !== workflowId)
    .map((outcome) => outcome.distance);
  return { confidence: Math.min(...toSentinel, ...others), retrieval };
}

/** An outcome with some candidate first, and the smallest change of all confidences that causes it. */
interface ReachableOutcome {
  readonly reasonCode: ReasonCode;
  readonly workflowId: string | null;
  readonly distance: number;
}

/** Every outcome that follows when `candidate` is the best eligible one; the rules are those of `decide()`. */
function reachableOutcomes(
  candidate: CalibratedCandidate,
  eligible: readonly CalibratedCandidate[],
  thresholds: DecisionThresholds,
): readonly ReachableOutcome[] {
  const { workflowId, riskTier } = candidate;
  const tier = thresholds.tiers[riskTier];
  const distances = distancesOf(candidate, eligible, tier.margin ?? 0);
  const declined = (reasonCode: ReasonCode, distance: number) => ({ reasonCode, workflowId: null, distance });

  if (!isCertifiedWorkflow(workflowId, thresholds.certifiedWorkflows)) {
    return [declined("WORKFLOW_NOT_CERTIFIED", distances.toFirst)];
  }
  if (candidate.inputTimeout) return [declined("INPUT_EXTRACTION_TIMEOUT", distances.toFirst)];
  if (candidate.missingInputs.length > 0) {
    const { accepted, under, ambiguous } = distances.at(thresholds.clarifyThreshold);
    return [
      { reasonCode: "MISSING_REQUIRED_INPUT", workflowId, distance: accepted },
      declined("LOW_CONFIDENCE_MISSING_INPUT", Math.min(under, ambiguous.atAnyConfidence)),
    ];
  }
  if (tier.confidence === null) return [declined("BELOW_RISK_THRESHOLD", distances.toFirst)];
  const { accepted, under, ambiguous } = distances.at(tier.confidence);
  return [
    { reasonCode: acceptedReason[riskTier], workflowId, distance: accepted },
    declined("BELOW_RISK_THRESHOLD", under),
    declined("AMBIGUOUS_CANDIDATES", ambiguous.aboveThreshold),
  ];
}

/** Smallest changes that put a candidate first, and then above or under a threshold, with or without its margin. */
function distancesOf(candidate: CalibratedCandidate, eligible: readonly CalibratedCandidate[], margin: number) {
  const own = candidate.confidence;
  const best = eligible[0]?.confidence ?? own;
  const rival = eligible.find((other) => other !== candidate)?.confidence ?? Number.NEGATIVE_INFINITY;
  const toFirst = (best - own) / 2;
  /** Two confidences move towards each other, until less than the margin is between them. */
  const toAmbiguity = margin > 0 ? Math.max(toFirst, (own - rival - margin) / 2) : Number.POSITIVE_INFINITY;
  return {
    toFirst,
    at: (threshold: number) => ({
      accepted: Math.max(0, threshold - own, (rival + margin - own) / 2),
      under: Math.max(toFirst, best - threshold),
      ambiguous: {
        atAnyConfidence: toAmbiguity,
        aboveThreshold: Math.max(toAmbiguity, threshold - own, threshold - margin - rival),
      },
    }),
  };
}
