import type { Rate } from "../../src/documents/rate.js";
import { clopperPearson } from "../../src/base/numbers/clopper-pearson.js";
import { anovaIcc, type ClusterCount, countByCluster, designEffect } from "./design-effect.js";

export interface RateOptions {
  /** Confidence of the two-sided interval, in (0, 1). Default 0.95. */
  readonly confidence?: number;
  /** Intra-cluster correlation from a larger set of trials. Default: estimated from these trials. */
  readonly icc?: number;
}

/** One trial: its cluster, and whether the counted event happened. */
export interface Trial {
  readonly cluster: string;
  readonly event: boolean;
}

/**
 * A proportion with a two-sided Clopper-Pearson interval. Trials of one cluster are not independent: with a design
 * effect above 1 the interval uses effective counts (method `cp-neff`), which widens it. Without trials everything is
 * null, with a reason.
 */
export function rateOf(trials: readonly Trial[], options: RateOptions = {}): Rate {
  return rateOfCounts(countByCluster(trials), options);
}

/** `rateOf` from the counts of each cluster; clusters without trials are ignored. */
export function rateOfCounts(counts: readonly ClusterCount[], options: RateOptions = {}): Rate {
  const confidence = options.confidence ?? 0.95;
  const clusters = counts.filter((count) => count.trials > 0);
  const n = clusters.reduce((sum, count) => sum + count.trials, 0);
  const k = clusters.reduce((sum, count) => sum + count.events, 0);
  const shared = { sides: 2, confidence, n, workflows: clusters.length } as const;
  if (n === 0) {
    const nothing = { estimate: null, lower: null, upper: null, icc: null, design_effect: null, effective_n: null };
    return { ...shared, ...nothing, k: 0, null_reason: "EMPTY_DENOMINATOR", method: "clopper-pearson" };
  }

  const icc = options.icc ?? anovaIcc(clusters);
  const effect = icc === null ? null : designEffect(clusters, icc);
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
    null_reason: null,
    method: clustered ? "cp-neff" : "clopper-pearson",
    icc,
    design_effect: effect,
    effective_n: effectiveN,
  };
}
