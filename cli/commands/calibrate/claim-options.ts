import { givenOnly } from "../../../stages/given-only.js";
import { type ClaimKind, claimKinds, calibratorFamilyNames } from "../../../src/documents/choices.js";
import { SluiceError } from "../../../src/base/error.js";
import { flag, optional, preset, type ValuesOf } from "../../options.js";
import { choice, count, probability } from "../../parsers.js";
import type { FitChoices } from "../../../calibrate/fit-options.js";
import { cost, requiredTiers, initialAllowedErrors, targetShare, tierMix } from "./targets.js";

/** Whom the claims speak about, in a few words. */
export const claimMeanings: Readonly<Record<ClaimKind, string>> = {
  "new-workflows": "requests to workflows that were never seen",
  "fixed-catalog": "new requests to the tested workflows; other workflows are declined",
  "expected-joint-risk": "an average over calibrations, without a confidence",
};

/** What a calibration claims and how it chooses; the same for fitting and for simulating. */
export const claimOptions = {
  target: preset(targetShare, "0.05", "planned target: largest share of routes that may be wrong, over all tiers"),
  "only-target": flag(
    "test the planned target alone; by default looser ones are tested first, and the last to pass is signed",
  ),
  "require-tier": optional(requiredTiers, "tiers with a target of their own; they abstain until they meet it"),
  delta: preset(probability, "0.05", "probability that any claim fails"),
  claim: preset(choice(...claimKinds), "new-workflows", "population that the claim covers"),
  "start-errors": preset(initialAllowedErrors, "3,1,0", "errors allowed at the first tested threshold, with fallbacks"),
  "start-icc": preset(probability, "0.1", "assumed correlation of errors within a workflow at the start"),
  "cross-fit": optional(
    count,
    "number of parts for cross-fitting TUNE and CERTIFY; 1 fits on TUNE and tests on CERTIFY; by default 8",
  ),
  calibrator: optional(
    choice(...calibratorFamilyNames),
    "calibrator family; by default the one with the lowest held-out loss",
  ),
  "out-of-scope-share": optional(probability, "out-of-scope share in production; by default the share in the data"),
  "tier-mix": optional(tierMix, "shares of the tiers among in-scope requests; by default those of the data"),
  "cost-false-route": optional(
    cost,
    "cost of a wrong route; with --cost-fallback, selects the cheapest certified point",
  ),
  "cost-fallback": optional(cost, "cost of a declined request"),
} as const;

/** The options as the fit takes them. @throws {SluiceError} USAGE  when only one of the two costs is given */
export function choicesOf(args: ValuesOf<typeof claimOptions>): FitChoices {
  const { costFalseRoute, costFallback } = args;
  if ((costFalseRoute === undefined) !== (costFallback === undefined)) {
    throw new SluiceError("USAGE", "found one cost, expected both --cost-false-route and --cost-fallback", {
      hint: "Give both costs in one unit, e.g. --cost-false-route 5 --cost-fallback 0.2.",
    });
  }
  const costs =
    costFalseRoute === undefined || costFallback === undefined
      ? undefined
      : { false_route: costFalseRoute, fallback: costFallback };
  return givenOnly({
    target_risk: args.target,
    required_tiers: args.requireTier,
    delta: args.delta,
    claim: args.claim,
    start_errors: args.startErrors,
    start_icc: args.startIcc,
    looser_targets: args.onlyTarget ? [] : undefined,
    cross_fit: args.crossFit,
    calibrator: args.calibrator,
    out_of_scope_share: args.outOfScopeShare,
    tier_mix: args.tierMix,
    costs,
  });
}
