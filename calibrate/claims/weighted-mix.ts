import { clopperPearsonLower, clopperPearsonUpper } from "../../src/stats/clopper-pearson.js";
import { anovaIcc, type ClusterCount, designEffect } from "../../src/stats/design-effect.js";
import { plannedDesignEffect } from "../intra-cluster-correlation.js";
import type { ClaimReading, RiskTest } from "../point-evidence.js";

/** Events among trials that are worth `effective` independent trials. */
export interface EffectiveRate {
  readonly events: number;
  readonly trials: number;
  readonly effective: number;
}

/** A rate over clusters, each given with all of its trials. */
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

/** The three rates that a mix weighs: out-of-scope requests routed, in-scope ones routed wrongly, in-scope ones routed. */
export interface MixRates {
  readonly outOfScopeRouted: EffectiveRate;
  readonly inScopeWrong: EffectiveRate;
  readonly inScopeRouted: EffectiveRate;
}

/** (share * o + (1 - share) * w) / (share * o + (1 - share) * c); 0 / 0 is 1 for a limit: nothing is known. */
function mixed(share: number, o: number, w: number, c: number): number {
  const routed = share * o + (1 - share) * Math.max(w, c);
  return routed === 0 ? 1 : (share * o + (1 - share) * w) / routed;
}

/**
 * Upper limit at `d` of the false-route rate of traffic of which `share` is out of scope. Each of the three rates has a
 * one-sided limit at d / 3: the rate rises with the first two and falls with the third.
 */
export function mixedUpper(rates: MixRates, share: number, d: number): number {
  const outside = share === 0 ? 0 : upperOf(rates.outOfScopeRouted, d / 3);
  return mixed(share, outside, upperOf(rates.inScopeWrong, d / 3), lowerOf(rates.inScopeRouted, d / 3));
}

/** Smallest d at which the limit is at most the target, from above, to one part in a million. */
function mixedPValue(rates: MixRates, share: number, target: number): number {
  if (mixedUpper(rates, share, 1 - 1e-9) > target) return 1;
  let [low, high] = [Math.log(1e-12), 0];
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (mixedUpper(rates, share, Math.exp(middle)) <= target) high = middle;
    else low = middle;
  }
  return Math.exp(high);
}

/** CERTIFY requests of each workflow and of each out-of-scope group, all of them. */
export interface FoldRequests {
  readonly inScope: ReadonlyMap<string, number>;
  readonly outOfScope: ReadonlyMap<string, number>;
}

/**
 * Claim for a declared mix: the false-route rate re-weighted to a share of out-of-scope requests, each part with its own
 * limit on effective counts. A union bound over the parts; clustering enters as in "new-workflows-approximate".
 */
export function readAsMix(requests: FoldRequests, outOfScopeShare: number): ClaimReading {
  return (counts, planned, icc) => {
    const perCluster = (all: ReadonlyMap<string, number>, eventsOf: (cluster: string) => number) =>
      effectiveRate([...all].map(([cluster, trials]) => ({ trials, events: eventsOf(cluster) })));
    const rates: MixRates = {
      outOfScopeRouted: perCluster(requests.outOfScope, (cluster) => counts.of(cluster).trials),
      inScopeWrong: perCluster(requests.inScope, (cluster) => counts.of(cluster).events),
      inScopeRouted: perCluster(requests.inScope, (cluster) => counts.of(cluster).trials),
    };
    return {
      designEffect: Math.max(1, plannedDesignEffect(counts, icc)),
      plannedEffective: counts.routed / planned.designEffect,
      judge: ({ target, delta }: RiskTest) => ({
        pValue: mixedPValue(rates, outOfScopeShare, target),
        upperBound: mixedUpper(rates, outOfScopeShare, delta),
      }),
    };
  };
}
