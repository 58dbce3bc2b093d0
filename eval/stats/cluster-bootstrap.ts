import type { SeededRandom } from "../../src/base/numbers/seeded-random.js";

/** Two-sided percentile interval of a cluster bootstrap. */
export interface BootstrapInterval {
  readonly lower: number;
  readonly upper: number;
  /** Number of resamples in which the statistic was defined, and of those dropped because it was not. */
  readonly used: number;
  readonly dropped: number;
}

export interface ClusterResampling {
  /** Number of clusters, which are resampled whole and with replacement. */
  readonly clusters: number;
  readonly resamples: number;
  readonly random: SeededRandom;
  /** Called after every resample. */
  readonly onResample?: ((done: number) => void) | undefined;
}

/**
 * Cluster bootstrap: the value of every statistic in every resample.
 * @param statistics  maps how often each cluster was drawn to `width` values; NaN: undefined. Both arrays are reused
 *   between calls.
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
 * Percentile interval of one column of `resampleClusters`. NaN values are left out and counted; null if no value is
 * left. It undercovers with few errors and is degenerate with none: use it for bands and paired differences, never for
 * a gate.
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

/** Smallest value with at least a share `q` of the values at or below it. @param ascending  not empty */
export function inverseDistribution(ascending: Float64Array, q: number): number {
  const position = Math.ceil(q * ascending.length - 1e-9) - 1;
  return ascending[Math.max(0, position)];
}
