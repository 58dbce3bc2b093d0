import type { SeededRandom } from "../../src/base/numbers/seeded-random.js";

/** Two-sided percentile interval of a cluster bootstrap. */
export interface BootstrapInterval {
  readonly lower: number;
  readonly upper: number;
  /** Resamples in which the statistic was defined, and in which it was not and which were left out. */
  readonly used: number;
  readonly dropped: number;
}

export interface ClusterResampling {
  /** Clusters, resampled whole and with replacement. */
  readonly clusters: number;
  readonly resamples: number;
  readonly random: SeededRandom;
  /** Called after every resample. */
  readonly onResample?: (done: number) => void;
}

/**
 * Cluster bootstrap: every statistic of every resample.
 * @param statistics  from how often each cluster was drawn to the values, `width` of them; NaN where one is undefined.
 *   Both arrays are reused from call to call.
 * @returns  one column of values per statistic
 */
export function resampleClusters(
  { clusters, resamples, random, onResample }: ClusterResampling,
  width: number,
  statistics: (draws: Float64Array, values: Float64Array) => void,
): readonly Float64Array[] {
  const columns = Array.from({ length: width }, () => new Float64Array(resamples));
  const draws = new Float64Array(clusters);
  const values = new Float64Array(width);
  for (let resample = 0; resample < resamples; resample += 1) {
    draws.fill(0);
    for (let draw = 0; draw < clusters; draw += 1) {
      const cluster = random.integer(0, clusters - 1);
      draws[cluster] += 1;
    }
    statistics(draws, values);
    for (const [column, value] of values.entries()) columns[column][resample] = value;
    onResample?.(resample + 1);
  }
  return columns;
}

/**
 * Percentile interval of one column of `resampleClusters`; NaN values are left out and counted. null when none is left.
 * It undercovers where errors are few and is degenerate at none: for bands and paired differences, never for a gate.
 */
export function percentileInterval(values: Float64Array, confidence = 0.95): BootstrapInterval | null {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0) return null;
  const tail = (1 - confidence) / 2;
  return {
    lower: inverseDistribution(sorted, tail),
    upper: inverseDistribution(sorted, 1 - tail),
    used: sorted.length,
    dropped: values.length - sorted.length,
  };
}

/** Smallest value whose share of values at or below it reaches `q`. @param ascending  not empty */
export function inverseDistribution(ascending: Float64Array, q: number): number {
  const position = Math.ceil(q * ascending.length - 1e-9) - 1;
  return ascending[Math.max(0, position)];
}
