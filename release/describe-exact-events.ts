import type { Manifest } from "../src/documents/signed.js";

/** Describes the exact-event setting of a manifest. A server must be started with the same setting. */
export function describeExactEvents(setting: Manifest["exact_events"]): string {
  const { enabled, allowed_tiers: allowed, abstaining_tiers: abstaining = [] } = setting;
  if (!enabled) return "off";
  const tiers = `on, routes to tiers ${allowed.join(", ") || "none"} with confidence 1, without thresholds`;
  const uncertified =
    abstaining.length === 0 ? "" : `, to ${abstaining.join(", ")} even where the calibration abstains`;
  return `${tiers}${uncertified}; needs --allow-exact-events and callers granted events`;
}
