import type { AbstainReason, TestStep } from "../src/domain/calibration.js";
import { type RiskTier, riskTiers } from "../src/domain/catalog.js";
import type { TierCertificate } from "./certify-tier.js";
import { perTier } from "./per-tier.js";
import type { ThresholdPoint } from "./threshold-path.js";

/** The certified point that a tier ships, or why it abstains. */
export type TierChoice =
  | { readonly point: TestStep; readonly reason: null }
  | { readonly point: null; readonly reason: AbstainReason };

type Certificates = Readonly<Record<RiskTier, Pick<TierCertificate, "outcome">>>;

interface Shipped {
  readonly tier: RiskTier;
  readonly point: TestStep;
}

function routedBy(shipped: readonly Shipped[]): number {
  return shipped.reduce((sum, { point }) => sum + point.routed, 0);
}

/**
 * The monotone choice that routes most. A tier that ships takes its loosest certified point at or above the floor: that
 * routes most and binds the tiers above it least. So only which tiers ship is open. On a tie the lower tier ships.
 *
 * @param tiers  in rising order of risk
 */
function mostRouted(tiers: readonly RiskTier[], floor: ThresholdPoint, certificates: Certificates): readonly Shipped[] {
  const [tier, ...above] = tiers;
  if (tier === undefined) return [];
  const without = mostRouted(above, floor, certificates);
  const { certified } = certificates[tier].outcome;
  const point = certified.findLast((step) => step.confidence >= floor.confidence && step.margin >= floor.margin);
  if (point === undefined) return without;
  const shipping = [{ tier, point }, ...mostRouted(above, point, certificates)];
  return routedBy(shipping) >= routedBy(without) ? shipping : without;
}

/**
 * Chooses the certified points that together route most CERTIFY requests, such that neither threshold falls from a lower
 * to a higher tier. A threshold is only ever raised to a point that is certified itself: all certified points hold
 * together, so a choice among them costs nothing. A tier that abstains does not bind the tiers above it, and a tier
 * abstains where its thresholds would make others abstain that route more (docs/adr/0005).
 */
export function monotoneTiers(certificates: Certificates): Readonly<Record<RiskTier, TierChoice>> {
  const shipped = mostRouted(riskTiers, { confidence: 0, margin: 0 }, certificates);
  return perTier((tier): TierChoice => {
    const point = shipped.find((choice) => choice.tier === tier)?.point;
    if (point !== undefined) return { point, reason: null };
    return { point: null, reason: certificates[tier].outcome.reason ?? "RAISED_POINT_NOT_CERTIFIED" };
  });
}
