import { clopperPearsonLower } from "../../src/base/numbers/clopper-pearson.js";
import { binomialCdf } from "../../src/base/numbers/distributions.js";

/** Routed requests of a sample whose share of out-of-scope requests differs from production. */
export interface WeightedErrorCounts {
  /** Number of routed requests, integer. */
  readonly routed: number;
  /** Number of routed out-of-scope requests, all of which are errors. */
  readonly outOfScope: number;
  /** Number of in-scope requests that were routed wrongly. */
  readonly inScopeWrong: number;
  /** Weight of one out-of-scope request of the sample in production, >= 0 and finite. */
  readonly factor: number;
}

/**
 * Wrong share of the routed requests if out-of-scope requests count `factor` times.
 * @param outside  out-of-scope share of the routed requests
 * @param wrong  wrong share of the routed in-scope requests
 */
export function weightedErrorShare(outside: number, wrong: number, factor: number): number {
  return (factor * outside + (1 - outside) * wrong) / (factor * outside + (1 - outside));
}

/**
 * Probability that the true wrong share of the in-scope requests lies below the examined values; added to the p-value.
 */
const missed = 0.001;
const nuisancePoints = 200;
const negligible = 1e-15;

/**
 * For each number of out-of-scope requests, ascending: the maximum number of wrong in-scope requests with a weighted
 * error share of at most `observed`.
 */
function mostWrong(routed: number, factor: number, observed: number): readonly number[] {
  const most: number[] = [];
  for (let outside = 0; outside < routed; outside += 1) {
    const inside = routed - outside;
    const wrong = observed * (factor * outside + inside) - factor * outside;
    if (wrong < 0) break;
    most.push(Math.min(inside, Math.floor(wrong)));
  }
  return most;
}

/** Probability of a weighted error share of at most the observed one, given the true shares `outside` and `wrong`. */
function probabilityOfAtMost(most: readonly number[], routed: number, outside: number, wrong: number): number {
  let logMass = routed * Math.log1p(-outside);
  let probability = 0;
  for (const [count, limit] of most.entries()) {
    if (count > 0) {
      if (outside === 0) break;
      logMass += Math.log((routed - count + 1) / count) + Math.log(outside) - Math.log1p(-outside);
    }
    const mass = Math.exp(logMass);
    if (mass > negligible) probability += mass * binomialCdf(limit, routed - count, wrong);
    else if (count > routed * outside) break;
  }
  return probability;
}

/**
 * Exact p-value of "the weighted error share is above `target`" for independent requests. Samples are ordered by their
 * observed share. The p-value is the maximum over all pairs of true shares on the target whose in-scope share is at
 * least its lower confidence limit at 0.001, plus 0.001 (Berger and Boos 1994). 1 without routed in-scope requests, or
 * if the observed share is not below the target.
 *
 * @param target  in (0, 1)
 */
export function weightedErrorPValue(counts: WeightedErrorCounts, target: number): number {
  const { routed, outOfScope, inScopeWrong, factor } = counts;
  const inside = routed - outOfScope;
  if (inside === 0) return 1;
  if (factor === 0) return binomialCdf(inScopeWrong, inside, target);
  const observed = weightedErrorShare(outOfScope / routed, inScopeWrong / inside, factor);
  const least = clopperPearsonLower(inScopeWrong, inside, missed);
  if (observed >= target || least >= target) return 1;

  const most = mostWrong(routed, factor, observed * (1 + 1e-12) + 1e-15);
  let largest = 0;
  for (let step = 0; step <= nuisancePoints; step += 1) {
    const wrong = least + ((target - least) * step) / nuisancePoints;
    const outside = (target - wrong) / (factor * (1 - target) + target - wrong);
    largest = Math.max(largest, probabilityOfAtMost(most, routed, outside, wrong));
  }
  return Math.min(1, largest + missed);
}
