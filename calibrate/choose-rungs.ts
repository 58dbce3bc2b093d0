import type { AbstainReason, TestStep } from "../src/documents/calibration.js";
import type { ClaimKind } from "../src/documents/choices.js";
import { type RiskTier, riskTiers } from "../src/documents/choices.js";
import { abstainReasonOf, type TestedClaim } from "./certify-claims.js";

/** The certified rung that a claim ships, or why its tiers abstain. */
export type Choice =
  | { readonly claim: TestedClaim; readonly rung: TestStep; readonly reason: null }
  | { readonly claim: TestedClaim; readonly rung: null; readonly reason: AbstainReason };

/** Value of shipping a rung. */
export type RungValue = (rung: TestStep) => number;

const routedRequests: RungValue = (rung) => rung.routed;

/** Limits on a tier's threshold from other tiers. */
interface Room {
  readonly atLeast: number;
  readonly atMost: number;
}

function best(rungs: readonly TestStep[], { atLeast, atMost }: Room, valueOf: RungValue): TestStep | null {
  const fitting = rungs.filter(({ confidence }) => confidence >= atLeast && confidence <= atMost);
  return fitting.reduce<TestStep | null>(
    (found, rung) => (found === null || valueOf(rung) >= valueOf(found) ? rung : found),
    null,
  );
}

type Rungs = ReadonlyMap<TestedClaim, TestStep>;

/** Given the rung of the overall claim: for each tier with its own claim, in rising order of risk, the best one that fits. */
function fitAround(
  overall: { readonly claim: TestedClaim; readonly rung: TestStep } | null,
  alone: readonly TestedClaim[],
  valueOf: RungValue,
): Rungs {
  const chosen = new Map<TestedClaim, TestStep>(overall === null ? [] : [[overall.claim, overall.rung]]);
  let floor = 0;
  for (const tier of riskTiers) {
    if (overall?.claim.tiers.includes(tier) === true) floor = Math.max(floor, overall.rung.confidence);
    const claim = alone.find(({ tiers }) => tiers.includes(tier));
    if (claim === undefined) continue;
    const above = riskTiers.slice(riskTiers.indexOf(tier) + 1);
    const bound = above.some((other) => overall?.claim.tiers.includes(other) === true) ? overall?.rung.confidence : 1;
    const rung = best(claim.tested.certified, { atLeast: floor, atMost: bound ?? 1 }, valueOf);
    if (rung === null) continue;
    chosen.set(claim, rung);
    floor = rung.confidence;
  }
  return chosen;
}

/**
 * Chooses among the certified rungs: all of them hold together, so the choice needs no correction. The tiers of the
 * overall claim share one threshold; thresholds never fall from a lower to a higher tier; of the valid choices the
 * most valuable ships, by default the one that routes most of the tested requests.
 */
export function chooseRungs(
  claims: readonly TestedClaim[],
  kind: ClaimKind,
  valueOf: RungValue = routedRequests,
): readonly Choice[] {
  const overall = claims.find(({ scope }) => scope === "overall");
  const alone = claims.filter(({ scope }) => scope !== "overall");
  const starts = [null, ...(overall?.tested.certified ?? []).map((rung) => ({ claim: overall as TestedClaim, rung }))];
  const worth = (rungs: Rungs): number => [...rungs.values()].reduce((sum, rung) => sum + valueOf(rung), 0);
  const chosen = starts
    .map((start) => fitAround(start, alone, valueOf))
    .reduce((found, rungs) => (worth(rungs) >= worth(found) ? rungs : found));
  return claims.map((claim): Choice => {
    const rung = chosen.get(claim);
    if (rung !== undefined) return { claim, rung, reason: null };
    return { claim, rung: null, reason: abstainReasonOf(claim, kind) ?? "RAISED_POINT_NOT_CERTIFIED" };
  });
}

/** The choice of the claim that covers a tier. */
export function choiceOf(tier: RiskTier, choices: readonly Choice[]): Choice | undefined {
  return choices.find(({ claim }) => claim.tiers.includes(tier));
}
