import type { Calibration, TestStep } from "../src/domain/calibration.js";
import { type RiskTier, riskTiers } from "../src/domain/catalog.js";
import type { PointValue, TierChoice } from "./monotone-tiers.js";

/** Costs of one request, in any unit: of a wrong route, and of a request that falls back to the expensive path. */
export interface RequestCosts {
  readonly falseRoute: number;
  readonly fallback: number;
}

type Choices = Readonly<Record<RiskTier, TierChoice>>;

/** What a point saves on CERTIFY against falling back for every request; a wrong route is paid beside the route. */
export const savingOf =
  ({ falseRoute, fallback }: RequestCosts): PointValue =>
  ({ routed, errors }: Pick<TestStep, "routed" | "errors">) =>
    fallback * routed - falseRoute * errors;

/**
 * Cost per CERTIFY request without the router, at the choice that routes most, and as shipped.
 * @param requests  CERTIFY requests, at least 1
 */
export function operatingCost(
  costs: RequestCosts,
  choices: { readonly mostRouted: Choices; readonly shipped: Choices },
  requests: number,
): NonNullable<Calibration["operatingCost"]> {
  const saving = savingOf(costs);
  const costOf = (of: Choices): number => {
    const saved = riskTiers.reduce((sum, tier) => sum + (of[tier].point === null ? 0 : saving(of[tier].point)), 0);
    return Math.max(0, costs.fallback - saved / Math.max(1, requests));
  };
  return {
    falseRoute: costs.falseRoute,
    fallback: costs.fallback,
    withoutRouter: costs.fallback,
    atMostCoverage: costOf(choices.mostRouted),
    asShipped: costOf(choices.shipped),
  };
}
