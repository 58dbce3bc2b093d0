import type { Rate } from "../../src/documents/rate.js";
import { clopperPearson, type Interval } from "../../src/base/numbers/clopper-pearson.js";
import { anovaIcc, type ClusterCount, designEffect } from "./design-effect.js";
import { SluiceError } from "../../src/base/error.js";
import { normalQuantile } from "../../src/base/numbers/distributions.js";

export interface RateOptions {
  /** Confidence of the two-sided interval, in (0, 1). Default 0.95. */
  readonly confidence?: number;
  /** Intra-cluster correlation from a larger set of trials. Default: estimated from these trials. */
  readonly icc?: number | null | undefined;
}

/**
 * A proportion with a two-sided Clopper-Pearson interval. Trials of one cluster are not independent: with a design
 * effect above 1 the interval uses effective counts (method `cp-neff`), which widens it. Without trials everything is
 * null, with a reason. Clusters without trials are ignored.
 */
export function rateOfCounts(counts: readonly ClusterCount[], options: RateOptions = {}): Rate {
  const confidence = options.confidence ?? 0.95;
  const clusters = counts.filter((count) => count.trials > 0);
  const n = clusters.reduce((sum, count) => sum + count.trials, 0);
  const k = clusters.reduce((sum, count) => sum + count.events, 0);
  const shared = { sides: 2, confidence, n, clusters: clusters.length } as const;
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

/**
 * Wilson score interval, for display only and never for a gate. The lower end is exactly 0 at k = 0, the upper end
 * exactly 1 at k = n.
 * @param sides  1: each end holds on its own at `confidence`; 2: both hold together
 * @throws {SluiceError} ARGUMENT_INVALID  unless 0 <= k <= n and n > 0
 */
export function wilson(k: number, n: number, confidence: number, sides: 1 | 2 = 2): Interval {
  if (!(n > 0 && k >= 0 && k <= n)) {
    throw new SluiceError(
      "ARGUMENT_INVALID",
      `found ${k} events in ${n} trials, expected 0 <= events <= trials, trials > 0`,
    );
  }
  const z = normalQuantile(1 - (1 - confidence) / sides);
  const p = k / n;
  const centre = p + (z * z) / (2 * n);
  const spread = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  const scale = 1 + (z * z) / n;
  return {
    lower: k === 0 ? 0 : (centre - spread) / scale,
    upper: k === n ? 1 : (centre + spread) / scale,
  };
}
