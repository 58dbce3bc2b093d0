import type { AbstainReason, TestStep } from "../src/domain/calibration.js";
import type { RiskTier } from "../src/domain/catalog.js";
import type { TierCertificate } from "./certify-tier.js";
import { perTier } from "./per-tier.js";

/** The certified point that a tier ships, or why it abstains. */
export type TierChoice =
  | { readonly point: TestStep; readonly reason: null }
  | { readonly point: null; readonly reason: AbstainReason };

/**
 * Chooses for each tier the certified point that routes most, such that neither threshold falls from a lower to a higher
 * tier. A threshold is only ever raised to a point that is certified itself: all certified points of a tier hold
 * together, so the choice costs nothing. A tier that abstains does not bind the tiers above it.
 */
export function monotoneTiers(
  certificates: Readonly<Record<RiskTier, Pick<TierCertificate, "outcome">>>,
): Readonly<Record<RiskTier, TierChoice>> {
  let floor = { confidence: 0, margin: 0 };
  const choose = (tier: RiskTier): TierChoice => {
    const { certified, reason } = certificates[tier].outcome;
    if (reason !== null) return { point: null, reason };
    const point = certified.findLast((step) => step.confidence >= floor.confidence && step.margin >= floor.margin);
    if (point === undefined) return { point: null, reason: "RAISED_POINT_NOT_CERTIFIED" };
    floor = point;
    return { point, reason: null };
  };
  return perTier(choose);
}
