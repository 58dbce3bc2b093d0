import { flag, optional, preset, type ValuesOf, kind, wholeNumber } from "../../../src/base/options.js";
import {
  calibratorFamilyNames,
  type ClaimKind,
  claimKinds,
  type RiskTier,
  riskTiers,
  sliceFields,
} from "../../../src/documents/choices.js";
import { choice, count, listOf, probability, probabilityIn } from "../../parsers.js";
import { defaultProcedure, type FitChoices, givenOnly } from "../../../stages/choices.js";

const shareIn = (raw = ""): number | undefined => (/^0?\.\d+$/.test(raw) && Number(raw) > 0 ? Number(raw) : undefined);

const targetShare = kind("RISK", "a share above 0 and below 1, such as 0.05 for 5%", shareIn);

/** Targets of tiers that are certified separately, e.g. `high=0.08,critical=0.05`. */
const requiredTiers = kind(
  "TIER=RISK,...",
  `tiers with a number above 0 and below 1 each, such as critical=0.05; the tiers are ${riskTiers.join(", ")}`,
  (raw) => {
    const targets = pairsIn(raw).map(([tier, share]) => [tier, shareIn(share)] as const);
    const known = targets.every(([tier, share]) => riskTiers.includes(tier) && share !== undefined);
    return known && isDistinct(targets)
      ? (Object.fromEntries(targets) as NonNullable<FitChoices["required_tiers"]>)
      : undefined;
  },
);

/** Numbers of errors that the first tested threshold allows, in order of preference. */
const initialAllowedErrors = listOf("COUNT,...", "whole numbers such as 3,1,0", {
  read: (raw) => wholeNumber(raw, Number.MAX_SAFE_INTEGER),
});

const languageCodes = listOf("CODE,...", "language codes such as en,de", {
  read: (raw) => (/^[a-z]{2,3}$/.test(raw) ? raw : undefined),
});

/** Targets, each above 0 and below 1. */
export const shares = listOf("RISK,...", "numbers above 0 and below 1 such as 0.05,0.1", {
  read: (raw) => {
    const share = probabilityIn(raw);
    return share !== undefined && share > 0 && share < 1 ? share : undefined;
  },
});

export const times = kind("COUNT", "a whole number from 1 to 100000", (raw) => wholeNumber(raw, 100_000) || undefined);

const pairsIn = (raw: string) => raw.split(",").map((part) => part.trim().split("=") as [RiskTier, string]);

const isDistinct = (pairs: readonly (readonly [string, unknown])[]): boolean =>
  new Set(pairs.map(([name]) => name)).size === pairs.length;

/** Short descriptions of what the claims cover. */
export const claimMeanings: Readonly<Record<ClaimKind, string>> = {
  "new-workflows": "requests for workflows that were never seen",
  "fixed-catalog": "new requests for the tested workflows; no text is routed to others",
};

/** How the calibrator is chosen, for fits and plans. */
export const calibratorText =
  "calibrator family; by default that of the claim, or the one with the lowest held-out loss if that cannot be fitted";

/** Options about claims and thresholds, shared by fitting and simulation. */
export const claimOptions = {
  target: preset(
    targetShare,
    String(defaultProcedure.target_risk),
    "planned target: largest share of routes that may be wrong, over all tiers",
  ),
  "only-target": flag(
    "test the planned target alone; by default looser ones are tested first, and the last to pass is signed",
  ),
  "require-tier": optional(requiredTiers, "tiers with a target of their own; they abstain until they meet it"),
  languages: optional(languageCodes, "languages that routes may be in; by default those of enough tested requests"),
  "require-slices": optional(choice(...sliceFields), "language: a claim and a threshold for each language"),
  delta: preset(probability, String(defaultProcedure.delta), "probability that any claim fails"),
  claim: preset(choice(...claimKinds), defaultProcedure.claim, "population that the claim covers"),
  "start-errors": preset(
    initialAllowedErrors,
    defaultProcedure.start_errors.join(),
    "errors allowed in the first test, in the order tried",
  ),
  "start-icc": preset(
    probability,
    String(defaultProcedure.start_icc),
    "assumed correlation of errors within a workflow at the start",
  ),
  "cross-fit": optional(
    count,
    `number of parts for cross-fitting TUNE and CERTIFY; 1 fits on TUNE and tests on CERTIFY; by default ${defaultProcedure.cross_fit}`,
  ),
  calibrator: optional(choice(...calibratorFamilyNames), calibratorText),
  "out-of-scope-share": optional(probability, "out-of-scope share in production; by default the share in the data"),
} as const;

export function choicesOf(args: ValuesOf<typeof claimOptions>): FitChoices {
  return givenOnly({
    target_risk: args.target,
    required_tiers: args.requireTier,
    languages: args.languages,
    require_slices: args.requireSlices,
    delta: args.delta,
    claim: args.claim,
    start_errors: args.startErrors,
    start_icc: args.startIcc,
    looser_targets: args.onlyTarget ? [] : undefined,
    cross_fit: args.crossFit,
    calibrator: args.calibrator,
    out_of_scope_share: args.outOfScopeShare,
  });
}
