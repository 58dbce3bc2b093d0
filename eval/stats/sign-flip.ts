import type { SeededRandom } from "../../src/base/numbers/seeded-random.js";

/** Up to this many clusters every pattern of signs is tried. */
const exactClusters = 20;
const slack = 1e-12;

/** Two-sided p-value of the sign-flip test, and how it was found. */
export interface SignFlipTest {
  readonly p_value: number;
  readonly method: "exact" | "monte-carlo";
  /** Clusters, those without a difference included. */
  readonly workflows: number;
}

/**
 * Sign-flip test of paired differences by cluster: if the two sides do not differ, each sum of a cluster could as well
 * have had the other sign. Exact up to 20 clusters, otherwise Monte Carlo with (1 + hits) / (1 + resamples).
 * 1 without clusters.
 */
export function signFlipTest(differences: readonly number[], random: SeededRandom, resamples = 10_000): SignFlipTest {
  const workflows = differences.length;
  const found = Math.abs(differences.reduce((sum, d) => sum + d, 0)) - slack;
  if (workflows <= exactClusters) {
    const patterns = 2 ** workflows;
    return { p_value: countReaching(differences, found, patterns) / patterns, method: "exact", workflows };
  }
  let hits = 0;
  for (let resample = 0; resample < resamples; resample += 1) {
    let sum = 0;
    for (const d of differences) if (d !== 0) sum += random.integer(0, 1) === 0 ? d : -d;
    if (Math.abs(sum) >= found) hits += 1;
  }
  return { p_value: (1 + hits) / (1 + resamples), method: "monte-carlo", workflows };
}

/** Patterns of signs whose sum reaches `found`; the bits of a pattern are the clusters with the sign turned. */
function countReaching(differences: readonly number[], found: number, patterns: number): number {
  let reaching = 0;
  for (let pattern = 0; pattern < patterns; pattern += 1) {
    let sum = 0;
    for (let i = 0; i < differences.length; i += 1) {
      const d = differences[i];
      sum += (pattern >> i) % 2 === 0 ? d : -d;
    }
    if (Math.abs(sum) >= found) reaching += 1;
  }
  return reaching;
}
