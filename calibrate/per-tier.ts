import type { RiskTier } from "../src/documents/choices.js";

/** Computes one value per tier; calls `value` in ascending order of risk. */
export function perTier<T>(value: (tier: RiskTier) => T): Readonly<Record<RiskTier, T>> {
  return { low: value("low"), medium: value("medium"), high: value("high"), critical: value("critical") };
}
