import { clopperPearsonLower } from "../../src/base/numbers/clopper-pearson.js";
import { binomialCdf } from "../../src/base/numbers/distributions.js";

/** Routed requests of a sample in which out-of-scope requests are rarer or more frequent than in service. */
export interface WeightedErrorCounts {
  /** Routed requests, integer. */
  readonly routed: number;
  /** Out-of-scope ones, all of them errors. */
  readonly outOfScope: number;
  /** Those that are in scope and wrong. */
  readonly inScopeWrong: number;
  /** Weight of one out-of-scope request of the sample in service; at least 0 and finite. */
  readonly factor: number;
}

/**
 * Wrong share of the routed requests when out-of-scope requests count `factor` times.
 * @param outside  out-of-scope share of the routed requests
 * @param wrong  wrong share of the routed in-scope requests
 */
export function weightedErrorShare(outside: number, wrong: number, factor: number): number {
  return (factor * outside + (1 - outside) * wrong) / (factor * outside + (1 - outside));
}

/** Probability that the wrong share of in-scope requests is below the values that are examined; part of the p-value. */
const missed = 0.001;
const nuisancePoints = 200;
const negligible = 1e-15;

/** For each number of out-of-scope requests, rising: the most wrong in-scope ones at a risk of at most `observed`. */
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

/** Probability of a risk of at most the observed one when the two true shares are `outside` and `wrong`. */
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
 * observed share; of the two unknown shares the least favourable pair with exactly the target is taken, where the
 * in-scope share is not below its lower confidence limit at 0.001, which is added (Berger and Boos 1994).
 * 1 without routed requests, or when the observed share is not below the target.
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
