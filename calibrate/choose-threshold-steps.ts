import { type AbstainReason, type Calibration, languageOfScope, type TestStep } from "../src/documents/calibration.js";
import { type ClaimKind, type RiskTier, riskTiers } from "../src/documents/choices.js";
import { abstainReasonOf, type TestedClaim } from "./certify-claims.js";

/** The certified step that a claim ships, or why its tiers abstain. */
export type Choice =
  | { readonly claim: TestedClaim; readonly thresholdStep: TestStep; readonly reason: null }
  | { readonly claim: TestedClaim; readonly thresholdStep: null; readonly reason: AbstainReason };

/** Limits on a tier's threshold that follow from other tiers. */
interface Room {
  readonly atLeast: number;
  readonly atMost: number;
}

/** The fitting step that routes the most requests. */
function best(thresholdSteps: readonly TestStep[], { atLeast, atMost }: Room): TestStep | null {
  const fitting = thresholdSteps.filter(({ confidence }) => confidence >= atLeast && confidence <= atMost);
  return fitting.reduce<TestStep | null>(
    (found, thresholdStep) => (found === null || thresholdStep.routed >= found.routed ? thresholdStep : found),
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
    const thresholdStep = best(claim.tested.certified, { atLeast: floor, atMost: bound ?? 1 });
    if (thresholdStep === null) continue;
    chosen.set(claim, thresholdStep);
    floor = thresholdStep.confidence;
  }
  return chosen;
}

/**
 * Chooses among the certified steps; all of them hold jointly, so the choice needs no correction. The tiers of the
 * overall claim share one threshold, and thresholds never decrease from a lower to a higher tier. The valid choice that
 * routes the most tested requests ships.
 */
export function chooseThresholdSteps(claims: readonly TestedClaim[], kind: ClaimKind): readonly Choice[] {
  const chosen = claims.some(({ scope }) => languageOfScope(scope) !== null)
    ? bestOfEach(claims)
    : bestTogether(claims);
  return claims.map((claim): Choice => {
    const thresholdStep = chosen.get(claim);
    if (thresholdStep !== undefined) return { claim, thresholdStep, reason: null };
    return { claim, thresholdStep: null, reason: abstainReasonOf(claim, kind) ?? "RAISED_POINT_NOT_CERTIFIED" };
  });
}

/** Claims of languages share no request, so each ships the step that routes the most. */
function bestOfEach(claims: readonly TestedClaim[]): ThresholdSteps {
  return new Map(
    claims.flatMap((claim) => {
      const thresholdStep = best(claim.tested.certified, { atLeast: 0, atMost: 1 });
      return thresholdStep === null ? [] : [[claim, thresholdStep] as const];
    }),
  );
}

function bestTogether(claims: readonly TestedClaim[]): ThresholdSteps {
  const overall = claims.find(({ scope }) => scope === "overall");
  const alone = claims.filter(({ scope }) => scope !== "overall");
  const starts = [
    null,
    ...(overall?.tested.certified ?? []).map((thresholdStep) => ({ claim: overall as TestedClaim, thresholdStep })),
  ];
  const worth = (thresholdSteps: ThresholdSteps): number =>
    [...thresholdSteps.values()].reduce((sum, thresholdStep) => sum + thresholdStep.routed, 0);
  return starts
    .map((start) => fitAround(start, alone))
    .reduce((found, thresholdSteps) => (worth(thresholdSteps) >= worth(found) ? thresholdSteps : found));
}

/** The choice of the claim that covers a tier; of several languages, that with the lowest threshold. */
export function choiceOf(tier: RiskTier, choices: readonly Choice[]): Choice | undefined {
  const thresholdOf = ({ thresholdStep }: Choice): number => thresholdStep?.confidence ?? Number.POSITIVE_INFINITY;
  return choices
    .filter(({ claim }) => claim.tiers.includes(tier))
    .reduce<Choice | undefined>(
      (found, one) => (found === undefined || thresholdOf(one) < thresholdOf(found) ? one : found),
      undefined,
    );
}

/** The threshold of each language that has a claim of its own; undefined without such claims. */
export function languageThresholds(choices: readonly Choice[]): NonNullable<Calibration["languages"]>["thresholds"] {
  const found = choices.flatMap(({ claim: { scope }, thresholdStep }) => {
    const language = languageOfScope(scope);
    return language === null ? [] : [{ language, confidence: thresholdStep?.confidence ?? null }];
  });
  return found.length === 0 ? undefined : found;
}
