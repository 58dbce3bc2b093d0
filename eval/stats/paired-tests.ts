import type { SignFlipTest } from "../../src/documents/comparison.js";
import type { SeededRandom } from "../../src/base/numbers/seeded-random.js";

/** Maximum number of clusters for which every sign pattern is tried. */
const exactClusters = 20;
const slack = 1e-12;

/**
 * Sign-flip test of paired differences per cluster: if the two sides do not differ, each cluster's sum is equally
 * likely to have the opposite sign. Exact up to 20 clusters, otherwise Monte Carlo with (1 + hits) / (1 + resamples).
 * The p-value is 1 without clusters.
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

/**
 * Number of sign patterns whose absolute sum reaches `found`. Set bits of a pattern are the clusters with flipped
 * signs.
 */
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
