/** Trials and events of one cluster. Clusters without trials are ignored everywhere. */
export interface ClusterCount {
  readonly trials: number;
  readonly events: number;
}

function occupied(counts: readonly ClusterCount[]): readonly ClusterCount[] {
  return counts.filter((c) => c.trials > 0);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * Ratio of sums over clusters, R = events / trials, and its linearised standard error, the root of W/(W-1) * sum (E_w -
 * R A_w)^2 / A^2. The error is null with fewer than two clusters, without events, and with events only.
 */
export function clusterRatio(counts: readonly ClusterCount[]): {
  readonly ratio: number | null;
  readonly standardError: number | null;
} {
  const clusters = occupied(counts);
  const trials = sum(clusters.map((c) => c.trials));
  const events = sum(clusters.map((c) => c.events));
  const ratio = trials === 0 ? null : events / trials;
  if (ratio === null || clusters.length < 2 || ratio === 0 || ratio === 1) return { ratio, standardError: null };
  const squares = sum(clusters.map((c) => (c.events - ratio * c.trials) ** 2));
  return { ratio, standardError: Math.sqrt(((clusters.length / (clusters.length - 1)) * squares) / trials ** 2) };
}

/**
 * Variance of the cluster ratio divided by that of the same number of independent trials; null if the former is
 * undefined.
 */
export function linearDesignEffect(counts: readonly ClusterCount[]): number | null {
  const { ratio, standardError } = clusterRatio(counts);
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
