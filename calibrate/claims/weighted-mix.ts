import { clopperPearsonLower, clopperPearsonUpper } from "../../src/base/numbers/clopper-pearson.js";
import { anovaIcc, type ClusterCount, designEffect, iccDesignEffect } from "../../eval/stats/design-effect.js";
import { routedDesignEffect, type ScopedCounts } from "../intra-cluster-correlation.js";
import type { ClaimReading, RiskTest } from "../claim-reading.js";
import {
  canPassWith,
  type Correlation,
  meanSize,
  smallestTarget,
  unseenWorkflows,
  workflowFloor,
} from "../fixed-sequence-test.js";

/** Events, trials, and the effective number of independent trials. */
export interface EffectiveRate {
  readonly events: number;
  readonly trials: number;
  readonly effective: number;
}

/** Event rate over clusters. `counts` must contain all trials of each cluster. */
export function effectiveRate(counts: readonly ClusterCount[]): EffectiveRate {
  const trials = counts.reduce((sum, count) => sum + count.trials, 0);
  const events = counts.reduce((sum, count) => sum + count.events, 0);
  const effect = designEffect(counts, anovaIcc(counts) ?? 1);
  return { events, trials, effective: trials / effect };
}

const shareOf = ({ events, trials }: EffectiveRate): number => (trials === 0 ? 0 : events / trials);

/** One-sided Clopper-Pearson upper limit on effective counts; 1 without trials. */
export function upperOf(rate: EffectiveRate, d: number): number {
  return clopperPearsonUpper(shareOf(rate) * rate.effective, rate.effective, d);
}

/** One-sided Clopper-Pearson lower limit on effective counts; 0 without trials. */
export function lowerOf(rate: EffectiveRate, d: number): number {
  return rate.trials === 0 ? 0 : clopperPearsonLower(shareOf(rate) * rate.effective, rate.effective, d);
}

/**
 * The three rates of a traffic mix: out-of-scope requests routed, in-scope requests routed wrongly, in-scope requests
 * routed.
 */
export interface MixRates {
  readonly outOfScopeRouted: EffectiveRate;
  readonly inScopeWrong: EffectiveRate;
  readonly inScopeRouted: EffectiveRate;
}

/**
 * (share * o + (1 - share) * w) / (share * o + (1 - share) * c); 0 / 0 gives 1, because nothing is known about the
 * limit.
 */
function mixed(share: number, o: number, w: number, c: number): number {
  const routed = share * o + (1 - share) * Math.max(w, c);
  return routed === 0 ? 1 : (share * o + (1 - share) * w) / routed;
}

/**
 * Upper limit at `d` of the false-route rate if `share` of the traffic is out of scope. It combines one-sided limits of
 * the three rates at d / 3 each: upper limits of the first two rates, with which the result rises, and the lower limit
 * of the third.
 */
export function mixedUpper(rates: MixRates, share: number, d: number): number {
  const outside = share === 0 ? 0 : upperOf(rates.outOfScopeRouted, d / 3);
  return mixed(share, outside, upperOf(rates.inScopeWrong, d / 3), lowerOf(rates.inScopeRouted, d / 3));
}

/** Number of all tested requests per workflow and per out-of-scope group. */
export interface FoldRequests {
  readonly inScope: ReadonlyMap<string, number>;
  readonly outOfScope: ReadonlyMap<string, number>;
}

/** Out-of-scope share of the routed requests, and wrong share of the routed in-scope requests. */
interface RoutedRates {
  readonly outOfScope: EffectiveRate;
  readonly inScopeWrong: EffectiveRate;
}

/**
 * Wrong share of the routed requests if out-of-scope requests count `factor` times.
 * @param outside  out-of-scope share of the routed requests
 * @param wrong  wrong share of the routed in-scope requests
 */
const weightedErrorShare = (outside: number, wrong: number, factor: number): number =>
  (factor * outside + (1 - outside) * wrong) / (factor * outside + (1 - outside));

/**
 * Upper limit at `d` of the wrong share of the routed requests if every out-of-scope request counts `factor` times. It
 * combines one-sided upper limits of both rates at d / 2 each; the result rises with both.
 */
function factoredUpper({ outOfScope, inScopeWrong }: RoutedRates, factor: number, d: number): number {
  const outside = upperOf(outOfScope, d / 2);
  const wrong = upperOf(inScopeWrong, d / 2);
  return factor === Number.POSITIVE_INFINITY ? 1 : weightedErrorShare(outside, wrong, factor);
}

/** Smallest d at which the limit is at most the target, rounded up, to a relative accuracy of 1e-6. */
function factoredPValue(rates: RoutedRates, factor: number, target: number): number {
  let [low, high] = [Math.log(1e-12), 0];
  if (!(factoredUpper(rates, factor, 1 - 1e-9) <= target)) return 1;
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (factoredUpper(rates, factor, Math.exp(middle)) <= target) high = middle;
    else low = middle;
  }
  return Math.exp(high);
}

const requestsIn = (clusters: ReadonlyMap<string, number>): number =>
  [...clusters.values()].reduce((sum, requests) => sum + requests, 0);

/** Weight of each out-of-scope request of a fold, infinite if there is none, if `share` of the traffic is out of scope. */
export function outOfScopeFactor({ inScope, outOfScope }: FoldRequests, share: number): number {
  if (share === 0) return 0;
  const [inside, outside] = [requestsIn(inScope), requestsIn(outOfScope)];
  return outside === 0 ? Number.POSITIVE_INFINITY : (share / (1 - share)) * (inside / outside);
}

/** Adds always-wrong requests to a rate without changing the effective number of requests. */
const withUnseen = ({ events, trials, effective }: EffectiveRate, added: number): EffectiveRate => ({
  events: events + added,
  trials: trials + added,
  effective,
});

function effectiveOf(events: number, counts: ScopedCounts, icc: number): EffectiveRate {
  const trials = [...counts.inScope, ...counts.outOfScope].reduce((sum, count) => sum + count.trials, 0);
  return { events, trials, effective: trials / routedDesignEffect(counts, icc) };
}

/**
 * Claim "new-workflows" for a declared mix: the wrong share of the routed requests, re-weighted to the declared share
 * of out-of-scope requests. Uses a union bound over the two parts; clustering and the workflow floor are handled as in
 * `newWorkflows`.
 */
export function readAsMix(
  requests: FoldRequests,
  outOfScopeShare: number,
  { icc, startIcc }: Correlation,
): ClaimReading {
  const factor = outOfScopeFactor(requests, outOfScopeShare);
  return (counts) => {
    const { inScope, outOfScope, routed, errors } = counts;
    // The limits of both parts must fit into the target, one of them counted `factor` times.
    const planned = routed / iccDesignEffect([...inScope, ...outOfScope], startIcc) / (1 + factor);
    const workflows = inScope.length;
    const size = meanSize(inScope);
    const outside = outOfScope.reduce((sum, count) => sum + count.trials, 0);
    const byScope = {
      inScope: inScope.map(({ trials }) => ({ trials, events: 0 })),
      outOfScope: outOfScope.map(({ trials }) => ({ trials, events: trials })),
    };
    const outOfScopeRate = effectiveOf(outside, byScope, icc);
    const wrongRate = effectiveOf(errors - outside, { inScope, outOfScope: [] }, icc);
    const ratesAt = (target: number): RoutedRates => ({
      outOfScope: outOfScopeRate,
      inScopeWrong: withUnseen(wrongRate, unseenWorkflows(target) * size),
    });
    return {
      design_effect: Math.max(1, routedDesignEffect(counts, icc)),
      planned,
      canPass: (wrong, test) => canPassWith(planned, wrong, test),
      judge: ({ target, delta }: RiskTest) => ({
        pValue: Math.max(factoredPValue(ratesAt(target), factor, target), workflowFloor(workflows, target)),
        upperBound: Math.max(factoredUpper(ratesAt(target), factor, delta), smallestTarget(workflows, delta)),
      }),
    };
  };
}
