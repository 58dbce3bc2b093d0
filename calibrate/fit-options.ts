import type { FitOptions } from "../src/domain/calibration.js";
import { type RiskTier, riskTiers } from "../src/domain/choices.js";
import type { Certification } from "./certify-claims.js";
import type { FitCalibrationInput } from "./fit-input.js";
import { perTier } from "./per-tier.js";

/** Default number of parts of the cross-fit. */
export const defaultCrossFit = 8;

/** Everything that `fitCalibration` takes besides records, digests and a version. */
type FitChosen = Omit<FitCalibrationInput, "records" | "background" | "digests" | "version">;

/**
 * The options of a fit as stated in the calibration, with defaults filled in. Without the background: the fit decides how
 * much of it is used.
 */
export function fitOptionsOf(input: FitChosen, certification: Certification): FitOptions {
  const { calibrator, crossFit, outOfScopeShare, tierMix, costs } = input;
  const { target, requiredTiers, delta, claim, startErrors, startIcc, looser, leftOut } = certification;
  return {
    targetRisk: target,
    looserTargets: looser.targets,
    looserShare: looser.share,
    leftOut,
    requiredTiers: perTier((tier) => requiredTiers[tier] ?? null),
    delta,
    claim,
    startErrors,
    startIcc,
    crossFit: crossFit ?? defaultCrossFit,
    calibrator: calibrator ?? null,
    outOfScopeShare: outOfScopeShare ?? null,
    tierMix: tierMix ?? null,
    costs: costs ?? null,
  };
}

/** The inverse of `fitOptionsOf`; the background is named by digests only, so its reader adds it. */
export function fitInputOf(options: FitOptions): FitChosen {
  const { targetRisk, requiredTiers, calibrator, outOfScopeShare, tierMix, costs, background, ...same } = options;
  void background;
  const required = riskTiers.flatMap((tier): readonly (readonly [RiskTier, number])[] => {
    const target = requiredTiers[tier];
    return target === null ? [] : [[tier, target]];
  });
  return {
    ...same,
    target: targetRisk,
    ...(required.length === 0 ? {} : { requiredTiers: Object.fromEntries(required) }),
    ...(calibrator === null ? {} : { calibrator }),
    ...(outOfScopeShare === null ? {} : { outOfScopeShare }),
    ...(tierMix === null ? {} : { tierMix }),
    ...(costs === null ? {} : { costs }),
  };
}
