import { type ClaimKind, claimKinds, calibratorFamilyNames } from "../../../src/domain/choices.js";
import { SluiceError } from "../../../src/errors/error.js";
import { givenOnly, optional, preset, type ValuesOf } from "../../options.js";
import { choice, count, probability } from "../../parsers.js";
import type { FitChoices } from "../../../workbench/calibration/fit-thresholds.js";
import { cost, requiredTiers, startErrors, targetShare, tierMix } from "./targets.js";

/** Whom the claims speak about, in a few words. */
export const claimMeanings: Readonly<Record<ClaimKind, string>> = {
  "new-workflows": "requests to workflows that were never seen",
  "fixed-catalog": "new requests to the tested workflows; any other one is declined",
  "expected-joint-risk": "an average over calibrations, without a confidence",
};

/** What a calibration claims and how it chooses; the same for fitting and for simulating. */
export const claimOptions = {
  target: preset(targetShare, "0.1", "largest wrong share of the routed requests, over all tiers"),
  "require-tier": optional(requiredTiers, "tiers that must hold a target by themselves, and abstain until they do"),
  delta: preset(probability, "0.05", "probability that any of the claims fails"),
  claim: preset(choice(...claimKinds), "new-workflows", "whom the claims speak about"),
  "start-errors": preset(startErrors, "3,1,0", "errors that the first tested threshold allows, with fallbacks"),
  "start-icc": preset(probability, "0.1", "correlation of errors inside a workflow that the start assumes"),
  "cross-fit": preset(
    count,
    "8",
    "parts in which TUNE and CERTIFY learn and are tested; 1: TUNE learns, CERTIFY is tested",
  ),
  calibrator: optional(choice(...calibratorFamilyNames), "family of the calibrator; chosen by held-out loss if absent"),
  "out-of-scope-share": optional(
    probability,
    "declared out-of-scope share in production; that of the data when absent",
  ),
  "tier-mix": optional(tierMix, "declared shares of the tiers in scope; those of the data when absent"),
  "cost-false-route": optional(
    cost,
    "cost of a wrong route; with --cost-fallback it picks the cheapest certified point",
  ),
  "cost-fallback": optional(cost, "cost of a request that is declined"),
} as const;

/** The options as the fit takes them. @throws {SluiceError} USAGE  when only one of the two costs is given */
export function choicesOf(args: ValuesOf<typeof claimOptions>): FitChoices {
  const { target, requireTier: tiers, delta, claim, startErrors: errors, startIcc, crossFit, calibrator } = args;
  const { outOfScopeShare, tierMix: mix, costFalseRoute, costFallback } = args;
  if ((costFalseRoute === undefined) !== (costFallback === undefined)) {
    throw new SluiceError("USAGE", "found one cost, expected both --cost-false-route and --cost-fallback", {
      hint: "Give both costs in one unit, e.g. --cost-false-route 5 --cost-fallback 0.2.",
    });
  }
  const costs =
    costFalseRoute === undefined || costFallback === undefined
      ? undefined
      : { falseRoute: costFalseRoute, fallback: costFallback };
  return givenOnly({
    target,
    requiredTiers: tiers,
    delta,
    claim,
    startErrors: errors,
    startIcc,
    crossFit,
    calibrator,
    outOfScopeShare,
    tierMix: mix,
    costs,
  });
}
