import type { Rate } from "../domain/rate.js";
import { clopperPearson } from "./clopper-pearson.js";
import { anovaIcc, countByCluster, designEffect } from "./design-effect.js";

export interface RateOptions {
  /** Confidence of the two-sided interval, in (0, 1). Default 0.95. */
  readonly confidence?: number;
  /** Intra-cluster correlation known from a wider set of trials; default: that of these trials. */
  readonly icc?: number;
}

/** One labelled trial: the cluster it belongs to and whether the counted event happened. */
export interface Trial {
  readonly cluster: string;
  readonly event: boolean;
}

/**
 * A proportion with a two-sided Clopper-Pearson interval. Trials of one cluster are not independent: with a design
 * effect above 1 the interval is taken on effective counts (method `cp-neff`), which widens it.
 * Without trials everything is null with the reason.
 */
export function rateOf(trials: readonly Trial[], options: RateOptions = {}): Rate {
  const confidence = options.confidence ?? 0.95;
  const n = trials.length;
  const counts = countByCluster(trials);
  const shared = { sides: 2, confidence, n, workflows: counts.length } as const;
  if (n === 0) {
    const nothing = { estimate: null, lower: null, upper: null, icc: null, designEffect: null, effectiveN: null };
    return { ...shared, ...nothing, k: 0, nullReason: "EMPTY_DENOMINATOR", method: "clopper-pearson" };
  }

  const k = trials.filter((t) => t.event).length;
  const icc = options.icc ?? anovaIcc(counts);
  const effect = icc === null ? null : designEffect(counts, icc);
  const effectiveN = effect === null ? null : n / effect;
  const clustered = effectiveN !== null && effectiveN < n;
  const interval = clustered
    ? clopperPearson((k / n) * effectiveN, effectiveN, confidence)
    : clopperPearson(k, n, confidence);
  return {
    ...shared,
    ...interval,
    k,
    estimate: k / n,
    nullReason: null,
    method: clustered ? "cp-neff" : "clopper-pearson",
    icc,
    designEffect: effect,
    effectiveN,
  };
}
