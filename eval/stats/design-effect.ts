import { tQuantile } from "../../src/base/numbers/distributions.js";

/** Trials and events of one cluster. Clusters without trials are ignored everywhere. */
export interface ClusterCount {
  readonly trials: number;
  readonly events: number;
}

/** Ratio of sums over clusters, with the standard error of the linearised ratio. */
export interface ClusterRatio {
  readonly ratio: number | null;
  readonly standardError: number | null;
  /** Two-sided t interval with (clusters - 1) degrees of freedom; not clipped to [0, 1]. */
  readonly interval: { readonly lower: number; readonly upper: number } | null;
  readonly nullReason: null | "EMPTY_DENOMINATOR" | "TOO_FEW_WORKFLOWS" | "NO_ERRORS" | "ZERO_VARIANCE";
}

/** Counts trials and events per cluster, in order of first appearance. */
export function countByCluster(
  trials: readonly { readonly cluster: string; readonly event: boolean }[],
): readonly ClusterCount[] {
  const counts = new Map<string, { trials: number; events: number }>();
  for (const { cluster, event } of trials) {
    const count = counts.get(cluster) ?? { trials: 0, events: 0 };
    count.trials += 1;
    if (event) count.events += 1;
    counts.set(cluster, count);
  }
  return [...counts.values()];
}

function occupied(counts: readonly ClusterCount[]): readonly ClusterCount[] {
  return counts.filter((c) => c.trials > 0);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The estimate without its interval: computing the t quantile takes most of the time. */
type RatioEstimate = Omit<ClusterRatio, "interval"> & { readonly degrees: number };

function ratioEstimate(counts: readonly ClusterCount[]): RatioEstimate {
  const clusters = occupied(counts);
  const trials = sum(clusters.map((c) => c.trials));
  const events = sum(clusters.map((c) => c.events));
  const degrees = clusters.length - 1;
  const undefinedBecause = (nullReason: ClusterRatio["nullReason"]): RatioEstimate => ({
    ratio: trials === 0 ? null : events / trials,
    standardError: null,
    nullReason,
    degrees,
  });
  if (trials === 0) return undefinedBecause("EMPTY_DENOMINATOR");
  if (clusters.length < 2) return undefinedBecause("TOO_FEW_WORKFLOWS");
  if (events === 0) return undefinedBecause("NO_ERRORS");
  if (events === trials) return undefinedBecause("ZERO_VARIANCE");

  const ratio = events / trials;
  const squares = sum(clusters.map((c) => (c.events - ratio * c.trials) ** 2));
  const standardError = Math.sqrt(((clusters.length / degrees) * squares) / trials ** 2);
  return { ratio, standardError, nullReason: null, degrees };
}

/**
 * Cluster ratio estimator R = events / trials. Variance W/(W-1) * sum (E_w - R A_w)^2 / A^2. With no events or only
 * events the variance is meaningless: it is null, with a reason.
 * @param confidence  confidence of the two-sided interval
 */
export function clusterRatio(counts: readonly ClusterCount[], confidence = 0.95): ClusterRatio {
  const { degrees, ...estimate } = ratioEstimate(counts);
  const { ratio, standardError } = estimate;
  if (ratio === null || standardError === null) return { ...estimate, interval: null };
  const reach = tQuantile(1 - (1 - confidence) / 2, degrees) * standardError;
  return { ...estimate, interval: { lower: ratio - reach, upper: ratio + reach } };
}

/** Mean event share over the clusters with trials, each cluster weighted equally. null without trials. */
export function macroRate(counts: readonly ClusterCount[]): number | null {
  const clusters = occupied(counts);
  if (clusters.length === 0) return null;
  return sum(clusters.map((c) => c.events / c.trials)) / clusters.length;
}

/**
 * Variance of the cluster ratio divided by that of the same number of independent trials; null if the former is
 * undefined.
 */
export function linearDesignEffect(counts: readonly ClusterCount[]): number | null {
  const { ratio, standardError } = ratioEstimate(counts);
  if (ratio === null || standardError === null) return null;
  return standardError ** 2 / ((ratio * (1 - ratio)) / sum(counts.map((c) => c.trials)));
}

/**
 * One-way ANOVA estimate of the intra-cluster correlation of the event. May be negative; 0 if nothing varies; null with
 * fewer than two clusters.
 */
export function anovaIcc(counts: readonly ClusterCount[]): number | null {
  const clusters = occupied(counts);
  const k = clusters.length;
  if (k < 2) return null;
  const trials = sum(clusters.map((c) => c.trials));
  const ratio = sum(clusters.map((c) => c.events)) / trials;
  const between = sum(clusters.map((c) => c.trials * (c.events / c.trials - ratio) ** 2)) / (k - 1);
  const within = sum(clusters.map((c) => c.events * (1 - c.events / c.trials))) / Math.max(1, trials - k);
  const typicalSize = (trials - sum(clusters.map((c) => c.trials ** 2)) / trials) / (k - 1);
  const denominator = between + (typicalSize - 1) * within;
  return denominator <= 0 ? 0 : (between - within) / denominator;
}

/** m' = sum A_w^2 / sum A_w: the expected cluster size of a randomly drawn trial. 0 without trials. */
export function clusterSizeFelt(counts: readonly ClusterCount[]): number {
  const trials = sum(counts.map((c) => c.trials));
  return trials === 0 ? 0 : sum(counts.map((c) => c.trials ** 2)) / trials;
}

/** 1 + (m' - 1) * max(0, icc), at least 1. */
export function iccDesignEffect(counts: readonly ClusterCount[], icc: number): number {
  return Math.max(1, 1 + (clusterSizeFelt(counts) - 1) * Math.max(0, icc));
}

/**
 * The larger of the two design effects, at least 1: how many clustered trials are worth one independent trial. Exactly
 * 1 if no cluster has more than one trial.
 */
export function designEffect(counts: readonly ClusterCount[], icc: number): number {
  if (counts.every((c) => c.trials <= 1)) return 1;
  return Math.max(1, linearDesignEffect(counts) ?? 1, iccDesignEffect(counts, icc));
}
