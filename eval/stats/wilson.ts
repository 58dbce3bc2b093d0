import { SluiceError } from "../../src/base/error.js";
import type { Interval } from "../../src/base/numbers/clopper-pearson.js";
import { normalQuantile } from "../../src/base/numbers/distributions.js";

/**
 * Wilson score interval, for display only and never for a gate. The lower end is exactly 0 at k = 0, the upper end
 * exactly 1 at k = n.
 * @param sides  1: each end holds on its own at `confidence`; 2: both hold together
 * @throws {SluiceError} STATS_DOMAIN  unless 0 <= k <= n and n > 0
 */
export function wilson(k: number, n: number, confidence: number, sides: 1 | 2 = 2): Interval {
  if (!(n > 0 && k >= 0 && k <= n)) {
    throw new SluiceError(
      "STATS_DOMAIN",
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
