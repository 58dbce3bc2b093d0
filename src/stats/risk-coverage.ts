import type { Measured, RiskCoveragePoint } from "../domain/evaluation.js";

/** A request that could be accepted: its score and whether accepting it would be an error. */
export interface RankedOutcome {
  readonly score: number;
  readonly error: boolean;
}

/**
 * Risk-coverage curve: one point per distinct score, thresholds descending, acceptance at `score >= threshold`.
 * Equal scores stay together; there is no point at coverage 0.
 * @param requests  denominator of the coverage; default: the number of outcomes
 */
export function riskCoverageCurve(
  outcomes: readonly RankedOutcome[],
  requests: number = outcomes.length,
): readonly RiskCoveragePoint[] {
  const sorted = outcomes.toSorted((a, b) => b.score - a.score);
  const points: RiskCoveragePoint[] = [];
  let errors = 0;
  for (const [index, { score, error }] of sorted.entries()) {
    if (error) errors += 1;
    if (sorted[index + 1]?.score === score) continue;
    const accepted = index + 1;
    points.push({
      threshold: score,
      accepted,
      errors,
      coverage: accepted / requests,
      selectiveRisk: errors / accepted,
    });
  }
  return points;
}

/**
 * Area under the risk-coverage curve, discrete convention: the mean over k = 1..n of the expected risk of the k best
 * scored, in expectation over the order inside ties. Other tools integrate differently; the values are not comparable.
 */
export function aurc(outcomes: readonly RankedOutcome[]): Measured {
  const n = outcomes.length;
  if (n === 0) return { value: null, n, nullReason: "EMPTY_DENOMINATOR" };
  let total = 0;
  let before = { accepted: 0, errors: 0 };
  for (const point of riskCoverageCurve(outcomes)) {
    const errorsPerRow = (point.errors - before.errors) / (point.accepted - before.accepted);
    for (let k = before.accepted + 1; k <= point.accepted; k += 1) {
      total += (before.errors + errorsPerRow * (k - before.accepted)) / k;
    }
    before = point;
  }
  return { value: total / n, n, nullReason: null };
}
