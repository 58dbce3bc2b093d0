import type { AbstainReason, TestStep, Calibration, FitOptions } from "../src/documents/calibration.js";
import { type ClaimKind, type RiskTier, riskTiers } from "../src/documents/choices.js";
import { abstainReasonOf, type TestedClaim } from "./certify-claims.js";

/** The certified step that a claim ships, or why its tiers abstain. */
export type Choice =
  | { readonly claim: TestedClaim; readonly thresholdStep: TestStep; readonly reason: null }
  | { readonly claim: TestedClaim; readonly thresholdStep: null; readonly reason: AbstainReason };

/** Value of shipping a step; higher is better. */
export type ThresholdStepValue = (thresholdStep: TestStep) => number;

const routedRequests: ThresholdStepValue = (thresholdStep) => thresholdStep.routed;

/** Limits on a tier's threshold that follow from other tiers. */
interface Room {
  readonly atLeast: number;
  readonly atMost: number;
}

function best(
  thresholdSteps: readonly TestStep[],
  { atLeast, atMost }: Room,
  valueOf: ThresholdStepValue,
): TestStep | null {
  const fitting = thresholdSteps.filter(({ confidence }) => confidence >= atLeast && confidence <= atMost);
  return fitting.reduce<TestStep | null>(
    (found, thresholdStep) => (found === null || valueOf(thresholdStep) >= valueOf(found) ? thresholdStep : found),
    null,
  );
}

type ThresholdSteps = ReadonlyMap<TestedClaim, TestStep>;

/**
 * Chooses the best fitting step for each tier with its own claim, in ascending order of risk, given the step of the
 * overall claim.
 */
function fitAround(
  overall: { readonly claim: TestedClaim; readonly thresholdStep: TestStep } | null,
  alone: readonly TestedClaim[],
  valueOf: ThresholdStepValue,
): ThresholdSteps {
  const chosen = new Map<TestedClaim, TestStep>(overall === null ? [] : [[overall.claim, overall.thresholdStep]]);
  let floor = 0;
  for (const tier of riskTiers) {
    if (overall?.claim.tiers.includes(tier) === true) floor = Math.max(floor, overall.thresholdStep.confidence);
    const claim = alone.find(({ tiers }) => tiers.includes(tier));
    if (claim === undefined) continue;
    const above = riskTiers.slice(riskTiers.indexOf(tier) + 1);
    const bound = above.some((other) => overall?.claim.tiers.includes(other) === true)
      ? overall?.thresholdStep.confidence
      : 1;
    const thresholdStep = best(claim.tested.certified, { atLeast: floor, atMost: bound ?? 1 }, valueOf);
    if (thresholdStep === null) continue;
    chosen.set(claim, thresholdStep);
    floor = thresholdStep.confidence;
  }
  return chosen;
}

/**
 * Chooses among the certified steps; all of them hold jointly, so the choice needs no correction. The tiers of the
 * overall claim share one threshold, and thresholds never decrease from a lower to a higher tier. The most valuable
 * valid choice ships: by default the one that routes the most tested requests.
 */
export function chooseThresholdSteps(
  claims: readonly TestedClaim[],
  kind: ClaimKind,
  valueOf: ThresholdStepValue = routedRequests,
): readonly Choice[] {
  const overall = claims.find(({ scope }) => scope === "overall");
  const alone = claims.filter(({ scope }) => scope !== "overall");
  const starts = [
    null,
    ...(overall?.tested.certified ?? []).map((thresholdStep) => ({ claim: overall as TestedClaim, thresholdStep })),
  ];
  const worth = (thresholdSteps: ThresholdSteps): number =>
    [...thresholdSteps.values()].reduce((sum, thresholdStep) => sum + valueOf(thresholdStep), 0);
  const chosen = starts
    .map((start) => fitAround(start, alone, valueOf))
    .reduce((found, thresholdSteps) => (worth(thresholdSteps) >= worth(found) ? thresholdSteps : found));
  return claims.map((claim): Choice => {
    const thresholdStep = chosen.get(claim);
    if (thresholdStep !== undefined) return { claim, thresholdStep, reason: null };
    return { claim, thresholdStep: null, reason: abstainReasonOf(claim, kind) ?? "RAISED_POINT_NOT_CERTIFIED" };
  });
}

/** The choice of the claim that covers a tier. */
export function choiceOf(tier: RiskTier, choices: readonly Choice[]): Choice | undefined {
  return choices.find(({ claim }) => claim.tiers.includes(tier));
}

/** Cost of one wrong route and of one request that falls back to the expensive path, in any unit. */
type RequestCosts = NonNullable<FitOptions["costs"]>;

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
