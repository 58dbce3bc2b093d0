import type { Calibration, FitOptions, TestStep } from "../src/documents/calibration.js";
import type { Choice, ThresholdStepValue } from "./choose-threshold-steps.js";

/** Cost of one wrong route and of one request that falls back to the expensive path, in any unit. */
export type RequestCosts = NonNullable<FitOptions["costs"]>;

/** Savings of a step on CERTIFY compared with falling back for every request. A wrong route is an additional cost. */
export const savingOf =
  ({ false_route, fallback }: RequestCosts): ThresholdStepValue =>
  ({ routed, errors }: Pick<TestStep, "routed" | "errors">) =>
    fallback * routed - false_route * errors;

/**
 * Cost per CERTIFY request: without the router, with the choice that routes the most requests, and as shipped.
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
