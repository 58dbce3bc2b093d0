import type { PairedVerdict } from "../src/documents/baseline.js";
import type { Band } from "../src/documents/evaluation.js";

/** With fewer clusters no sign-flip test can reach .05, and a percentile band is too narrow. */
const leastClusters = 6;
const largestP = 0.05;
/** Share of resamples that may lack the statistic: the tail of a 95 % band. */
const mostDropped = 0.025;

export interface PairedEvidence {
  /** Of the difference; positive values favour the `higher` side. */
  readonly band: Band | null;
  /** null where no test exists for the measure. */
  readonly pValue: number | null;
  /** Clusters with at least one trial on a side. */
  readonly clusters: number;
  readonly higher: "a" | "b";
}

/**
 * Which side is better. A side is only called better when the band of the difference excludes 0, on enough clusters, and
 * the test agrees. `tied`: the band holds 0. `not_shown`: too little evidence for either.
 */
export function pairedVerdict({ band, pValue, clusters, higher }: PairedEvidence): PairedVerdict {
  if (band === null) return "not_shown";
  if (band.lower <= 0 && band.upper >= 0) return "tied";
  const dropped = band.dropped / (band.resamples + band.dropped);
  if (clusters < leastClusters || (pValue ?? 0) > largestP || dropped > mostDropped) return "not_shown";
  const aIsHigher = higher === "a";
  return band.lower > 0 === aIsHigher ? "a_better" : "b_better";
}
