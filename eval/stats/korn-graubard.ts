import { clopperPearson } from "../../src/base/numbers/clopper-pearson.js";
import { type ClusterCount, linearDesignEffect } from "./design-effect.js";
import { tQuantile } from "../../src/base/numbers/distributions.js";

/** Korn-Graubard interval of a clustered proportion. */
export interface KornGraubard {
  /** Trials after the design effect and the degrees-of-freedom adjustment; not an integer. */
  readonly effectiveN: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * Two-sided Korn-Graubard interval: Clopper-Pearson on the effective counts of the linearised design effect, adjusted
 * by (t_{n-1} / t_{clusters-1})^2 and never above the number of trials (Korn and Graubard 1998; NCHS presentation
 * standard). With no events or only events the design effect is undefined; the number of clusters with a trial then
 * replaces the effective number of trials. null without trials or with a single cluster.
 */
export function kornGraubard(counts: readonly ClusterCount[], confidence = 0.95): KornGraubard | null {
  const clusters = counts.filter((count) => count.trials > 0);
  if (clusters.length < 2) return null;
  const trials = clusters.reduce((sum, count) => sum + count.trials, 0);
  const events = clusters.reduce((sum, count) => sum + count.events, 0);
  const effect = linearDesignEffect(clusters);
  const effectiveN = effect === null ? clusters.length : adjusted(trials, effect, clusters.length, confidence);
  return { effectiveN, ...clopperPearson((events / trials) * effectiveN, effectiveN, confidence) };
}

function adjusted(trials: number, effect: number, clusters: number, confidence: number): number {
  if (effect === 0) return trials;
  const quantile = 1 - (1 - confidence) / 2;
  const adjustment = (tQuantile(quantile, trials - 1) / tQuantile(quantile, clusters - 1)) ** 2;
  return Math.min(trials, (trials / effect) * adjustment);
}
