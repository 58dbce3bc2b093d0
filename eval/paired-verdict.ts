import type { PairedVerdict } from "../src/documents/baseline.js";
import type { Band } from "../src/documents/evaluation.js";

/** With fewer clusters a sign-flip test cannot reach p = .05, and a percentile band is too narrow. */
const leastClusters = 6;
const largestP = 0.05;
/** Maximum share of resamples in which the statistic is undefined: one tail of a 95 % band. */
const mostDropped = 0.025;

export interface PairedTest {
  /** Band of the difference; positive values favour the `higher` side. */
  readonly band: Band | null;
  /** null if the measure has no test. */
  readonly pValue: number | null;
  /** Number of clusters with at least one trial on either side. */
  readonly clusters: number;
  readonly higher: "a" | "b";
}

/**
 * Which side is better. A side is called better only if there are enough clusters, the band of the difference excludes
 * 0, and the test agrees. `tied`: the band contains 0. `not_shown`: there is too little evidence.
 */
export function pairedVerdict({ band, pValue, clusters, higher }: PairedTest): PairedVerdict {
  if (band === null) return "not_shown";
  if (band.lower <= 0 && band.upper >= 0) return "tied";
  const dropped = band.dropped / (band.resamples + band.dropped);
  if (clusters < leastClusters || (pValue ?? 0) > largestP || dropped > mostDropped) return "not_shown";
  const aIsHigher = higher === "a";
  return band.lower > 0 === aIsHigher ? "a_better" : "b_better";
}
