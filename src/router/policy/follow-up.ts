import type { FollowUpCalibrator } from "../../documents/calibration.js";
import type { ScoredCandidate, ScoredText } from "../../documents/decision.js";
import { matchLogit } from "./apply-calibration.js";
import { logistic } from "./calibrator-curve.js";

/** What the retrieval score of the previous workflow gains in a text that states no wish of its own; see docs/adr/0061. */
const gainOfPrevious = 0.5;
const largestLogit = 12;

/** Candidates of the text by itself: without the one that only the request before it brought. */
export const ownCandidates = ({ followUp, candidates }: ScoredText): readonly ScoredCandidate[] =>
  followUp?.joined === true ? candidates.slice(0, -1) : candidates;

/** The workflow that a text asks for, given the workflow of the request before it, and what tells whether it is right. */
export interface FollowUpAnswer {
  readonly candidate: ScoredCandidate;
  readonly kind: "repeats" | "changes";
  readonly columns: FollowUpCalibrator["weights"];
}

/**
 * The workflow of the request before a text, unless another one leads by more than that gains; null if the previous
 * workflow is unknown, or the text has no words.
 */
export function answerOfFollowUp({ followUp, candidates }: ScoredText): FollowUpAnswer | null {
  const previous = candidates.find(({ workflow_id: id }) => id === followUp?.previous);
  if (followUp === undefined || previous === undefined) return null;
  const logitOf = ({ logits }: ScoredCandidate): number =>
    Math.max(-largestLogit, Math.min(largestLogit, matchLogit(logits)));
  const [other, second] = candidates
    .filter((candidate) => candidate !== previous)
    .toSorted((a, b) => logitOf(b) - logitOf(a) || (a.workflow_id < b.workflow_id ? -1 : 1));
  const continues = 1 - logistic(followUp.new_wish);
  const otherScore = other?.retrieval_score ?? 0;
  const repeats = other === undefined || previous.retrieval_score + gainOfPrevious * continues >= otherScore;
  const otherLogit = other === undefined ? -largestLogit : logitOf(other);
  return {
    candidate: repeats ? previous : other,
    kind: repeats ? "repeats" : "changes",
    columns: {
      previous_logit: logitOf(previous),
      other_logit: otherLogit,
      previous_score: previous.retrieval_score,
      other_score: otherScore,
      other_lead: otherLogit - (second === undefined ? -largestLogit : logitOf(second)),
      closing: followUp.closing,
      new_wish: followUp.new_wish,
      continues,
    },
  };
}

export const followUpColumns = [
  "previous_logit",
  "other_logit",
  "previous_score",
  "other_score",
  "other_lead",
  "closing",
  "new_wish",
  "continues",
] as const satisfies readonly (keyof FollowUpCalibrator["weights"])[];

/** Calibrated probability that the answer is right, in [0, 1], 6 decimals. */
export function followUpConfidence({ intercept, weights }: FollowUpCalibrator, { columns }: FollowUpAnswer): number {
  const logOdds = followUpColumns.reduce((sum, name) => sum + weights[name] * columns[name], intercept);
  return Math.round(logistic(logOdds) * 1e6) / 1e6;
}
