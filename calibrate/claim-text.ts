import type { TestStep } from "../src/domain/calibration.js";
import type { RiskTier } from "../src/domain/catalog.js";
import type { RiskTest } from "./fixed-sequence.js";
import { count, factorUp, percent, percentDown, probability } from "./number-text.js";

/** The line before the claims of several tiers. */
export function jointClaim(tests: readonly RiskTest[], jointDelta: number): string {
  const shares = [...new Set(tests.map((test) => probability(test.delta)))].join(", ");
  const together = `${tests.length} ${tests.length === 1 ? "tier" : "tiers"} together`;
  return (
    `The statements below hold for all ${together} with probability at least ${percentDown(1 - jointDelta)}; ` +
    `each tier was tested at ${shares}.`
  );
}

/** Claim C2 (new workflows, approximate) of one tier at the point that it ships. */
export function tierClaim(
  tier: RiskTier,
  test: RiskTest,
  shipped: TestStep,
  context: { readonly icc: number; readonly outOfScopeShare: number },
): string {
  return (
    `For requests to new workflows of the same kind as the ${count(shipped.workflows)} certification workflows and ` +
    `out-of-scope groups, at most ${percent(test.target)} of the requests routed in tier ${tier} are estimated to go to ` +
    `a wrong workflow, at approximate confidence ${percentDown(1 - test.delta)}. ${count(shipped.errors)} of ` +
    `${count(shipped.routed)} routed requests were wrong; because requests of one workflow resemble each other they were ` +
    `counted as ${count(shipped.effectiveRouted)} independent requests (design effect ${factorUp(shipped.designEffect)}, ` +
    `ICC ${factorUp(context.icc)}). ${percent(context.outOfScopeShare)} of the certification requests were out of scope. ` +
    "The confidence rests on this correction and is not a finite-sample proof."
  );
}

/** The claim of a tier that abstains. */
export function notCertifiedClaim(tier: RiskTier, reason: string): string {
  return `Tier ${tier} is disabled: ${reason}. The router abstains for every request of this tier.`;
}
