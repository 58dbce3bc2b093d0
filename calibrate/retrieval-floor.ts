import type { ScoredRecord } from "../src/documents/scored-record.js";
import type { CalibratorCurve } from "../src/documents/calibrator.js";
import { applyCalibration } from "../src/router/policy/apply-calibration.js";

/** Maximum share of requests with a right top candidate that the floor may stop. */
const mayLose = 0.01;

/** Rounds down to 6 decimals, so that the request that sets the floor still reaches it. */
function roundDown6(score: number): number {
  const rounded = Math.floor(score * 1e6) / 1e6;
  return rounded <= score ? rounded : rounded - 1e-6;
}

function bestScore({ candidates }: ScoredRecord): number {
  let best = Number.NEGATIVE_INFINITY;
  for (const { retrieval_score: retrievalScore } of candidates) best = Math.max(best, retrievalScore);
  return best;
}

const withCandidates = (records: readonly ScoredRecord[]): readonly ScoredRecord[] =>
  records.filter((record) => record.error_code === null && record.candidates.length > 0);

/** The highest floor that stops none of the records; 0 without any score. */
export function lowestRetrievalScore(records: readonly ScoredRecord[]): number {
  const scored = withCandidates(records);
  if (scored.length === 0) return 0;
  return roundDown6(scored.reduce((lowest, record) => Math.min(lowest, bestScore(record)), Number.POSITIVE_INFINITY));
}

/**
 * The largest retrieval floor that stops at most 1% of the TUNE requests whose top candidate is right. The score of a
 * request is the best retrieval score among its candidates, ineligible competitors included, as in `decide()`. If no
 * top candidate is right: the lowest score seen, which stops nothing; 0 without any score.
 */
export function learnRetrievalFloor(records: readonly ScoredRecord[], calibrator: CalibratorCurve): number {
  const scored = withCandidates(records);
  const right = scored.filter((record) => {
    const first = applyCalibration(calibrator, record.candidates).find((candidate) => candidate.eligible);
    return first !== undefined && first.workflow_id === record.workflow_id;
  });
  const scores = (right.length > 0 ? right : scored).map(bestScore).toSorted((a, b) => a - b);
  const stopped = right.length > 0 ? Math.floor(mayLose * right.length) : 0;
  const floor = scores[stopped];
  return floor === undefined ? 0 : roundDown6(floor);
}
