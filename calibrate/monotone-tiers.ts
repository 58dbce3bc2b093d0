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

/** A monotone choice for some tiers and what it is worth. */
interface Plan {
  readonly value: number;
  readonly shipped: readonly Shipped[];
}

/** What it is worth to ship a point. */
export type PointValue = (point: TestStep) => number;

const routedRequests: PointValue = (point) => point.routed;

/**
 * The monotone choice of most worth. Of choices that are worth the same, the one that ships the lower tier, and the
 * looser point of it.
 */
function bestPlan(certificates: Certificates, valueOf: PointValue): Plan {
  const known = new Map<string, Plan>();
  const planFrom = (tierIndex: number, floor: ThresholdPoint): Plan => {
    const tier = riskTiers[tierIndex];
    if (tier === undefined) return { value: 0, shipped: [] };
    const key = `${tierIndex} ${floor.confidence} ${floor.margin}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    let best: Plan | null = null;
    for (const point of certificates[tier].outcome.certified.toReversed()) {
      if (point.confidence < floor.confidence || point.margin < floor.margin) continue;
      const above = planFrom(tierIndex + 1, point);
      const value = valueOf(point) + above.value;
      if (best === null || value > best.value) best = { value, shipped: [{ tier, point }, ...above.shipped] };
    }
    const without = planFrom(tierIndex + 1, floor);
    const plan = best === null || without.value > best.value ? without : best;
    known.set(key, plan);
    return plan;
  };
  return planFrom(0, { confidence: 0, margin: 0 });
}

/**
 * Chooses certified points such that neither threshold falls from a lower to a higher tier and their worth is largest;
 * by default they route most CERTIFY requests. A threshold is only ever raised to a point that is certified itself: all
 * certified points hold together, so a choice among them costs nothing. A tier that abstains does not bind the tiers
 * above it, and a tier abstains where its thresholds would make others abstain that are worth more (docs/adr/0005).
 */
export function monotoneTiers(
  certificates: Certificates,
  valueOf: PointValue = routedRequests,
): Readonly<Record<RiskTier, TierChoice>> {
  const { shipped } = bestPlan(certificates, valueOf);
  return perTier((tier): TierChoice => {
    const point = shipped.find((choice) => choice.tier === tier)?.point;
    if (point !== undefined) return { point, reason: null };
    return { point: null, reason: certificates[tier].outcome.reason ?? "RAISED_POINT_NOT_CERTIFIED" };
  });
}
