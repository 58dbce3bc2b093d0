import type { Calibration, FitOptions, TestStep } from "../src/documents/calibration.js";
import type { Choice, ThresholdStepValue } from "./choose-threshold-steps.js";

/** Costs of one request, in any unit: of a wrong route, and of a request that falls back to the expensive path. */
export type RequestCosts = NonNullable<FitOptions["costs"]>;

/** Savings of a point on CERTIFY compared with falling back for every request; a wrong route is an additional cost. */
export const savingOf =
  ({ false_route, fallback }: RequestCosts): ThresholdStepValue =>
  ({ routed, errors }: Pick<TestStep, "routed" | "errors">) =>
    fallback * routed - false_route * errors;

/**
 * Cost per CERTIFY request without the router, at the choice that routes most, and as shipped.
 * @param requests  CERTIFY requests, at least 1
 */
export function operatingCost(
  costs: RequestCosts,
  of: { readonly mostRouted: readonly Choice[]; readonly shipped: readonly Choice[] },
  requests: number,
): NonNullable<Calibration["operating_cost"]> {
  const saving = savingOf(costs);
  const costOf = (choices: readonly Choice[]): number => {
    const saved = choices.reduce(
      (sum, { thresholdStep }) => sum + (thresholdStep === null ? 0 : saving(thresholdStep)),
      0,
    );
    return Math.max(0, costs.fallback - saved / Math.max(1, requests));
  };
  return {
    false_route: costs.false_route,
    fallback: costs.fallback,
    without_router: costs.fallback,
    at_most_coverage: costOf(of.mostRouted),
    as_shipped: costOf(of.shipped),
  };
}
