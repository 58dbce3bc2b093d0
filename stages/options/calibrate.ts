import { flag, numberKind, objectKind, optional, preset, type ValueKind, wholeNumber } from "../../src/base/options.js";
import { plannedTargets } from "../../src/documents/calibration-plan.js";
import {
  calibratorFamilyNames,
  type ClaimKind,
  claimKinds,
  type RiskTier,
  riskTiers,
  sliceFields,
} from "../../src/documents/choices.js";
import { defaultProcedure, type FitChoices } from "../../calibrate/procedure.js";
import type { BackgroundSource } from "../fit/background-source.js";
import { choice, count, id, listOf, path, probability, probabilityIn, seed, text } from "./kinds.js";

const shareIn = (raw = ""): number | undefined => (/^0?\.\d+$/.test(raw) && Number(raw) > 0 ? Number(raw) : undefined);

const targetShare = numberKind("RISK", "a share above 0 and below 1, such as 0.05 for 5%", shareIn);

/** Targets of tiers that are certified separately, e.g. `high=0.08,critical=0.05`. */
const requiredTiers = objectKind(
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
const shares = listOf("RISK,...", "numbers above 0 and below 1 such as 0.05,0.1", {
  read: (raw) => {
    const share = probabilityIn(raw);
    return share !== undefined && share > 0 && share < 1 ? share : undefined;
  },
});

const times = numberKind("COUNT", "a whole number from 1 to 100000", (raw) => wholeNumber(raw, 100_000) || undefined);

const pairsIn = (raw: string) => raw.split(",").map((part) => part.trim().split("=") as [RiskTier, string]);

const isDistinct = (pairs: readonly (readonly [string, unknown])[]): boolean =>
  new Set(pairs.map(([name]) => name)).size === pairs.length;

/** Short descriptions of what the claims cover. */
export const claimMeanings: Readonly<Record<ClaimKind, string>> = {
  "new-workflows": "requests for workflows that were never seen",
  "fixed-catalog": "new requests for the tested workflows; no text is routed to others",
};

/** How the calibrator is chosen, for fits and plans. */
const calibratorText =
  "calibrator family; by default that of the claim, or the one with the lowest held-out loss if that cannot be fitted";

/** Options about claims and thresholds, shared by fitting and simulation. */
const claimOptions = {
  target: preset(
    targetShare,
    String(defaultProcedure.target_risk),
    "planned target: largest share of routes that may be wrong, over all tiers",
  ),
  onlyTarget: flag(
    "test the planned target alone; by default looser ones are tested first, and the last to pass is signed",
  ),
  requireTier: optional(requiredTiers, "tiers with a target of their own; they abstain until they meet it"),
  languages: optional(languageCodes, "languages that routes may be in; by default those of enough tested requests"),
  requireSlices: optional(choice(...sliceFields), "language: a claim and a threshold for each language"),
  delta: preset(probability, String(defaultProcedure.delta), "probability that any claim fails"),
  claim: preset(choice(...claimKinds), defaultProcedure.claim, "population that the claim covers"),
  startErrors: preset(
    initialAllowedErrors,
    defaultProcedure.start_errors.join(),
    "errors allowed in the first test, in the order tried",
  ),
  startIcc: preset(
    probability,
    String(defaultProcedure.start_icc),
    "assumed correlation of errors within a workflow at the start",
  ),
  crossFit: optional(
    count,
    `number of parts for cross-fitting TUNE and CERTIFY; 1 fits on TUNE and tests on CERTIFY; by default ${defaultProcedure.cross_fit}`,
  ),
  calibrator: optional(choice(...calibratorFamilyNames), calibratorText),
  outOfScopeShare: optional(probability, "out-of-scope share in production; by default the share in the data"),
} as const;

/** Background requests of a fit. A file with the name of a keyword must be given with a path, e.g. ./none. */
const backgroundSource: ValueKind<BackgroundSource> = {
  placeholder: "SOURCE",
  type: "string|object",
  parse: (raw, name) => {
    if (raw === "auto" || raw === "none") return raw;
    return raw === "default" ? "shipped" : { file: path.parse(raw, name) };
  },
};

/** Number of simulated certifications per probability. */
export const defaultSamples = 200;
export const defaultPlanSeed = 1;

/** `calibrate plan`, `planCalibration` */
export const planOptions = {
  run: optional(id, "run; by default the latest"),
  claim: optional(choice(...claimKinds), "claim to plan for: new-workflows or fixed-catalog; by default both"),
  targets: preset(shares, plannedTargets.join(), "targets to plan for"),
  delta: preset(probability, String(defaultProcedure.delta), "probability that a claim fails"),
  calibrator: optional(choice(...calibratorFamilyNames), calibratorText),
  crossFit: optional(
    count,
    `number of parts for cross-fitting TUNE and CERTIFY; by default ${defaultProcedure.cross_fit}`,
  ),
  outOfScopeShare: optional(probability, "out-of-scope share in production; by default the share in the data"),
  withFit: flag("use FIT too; only if no model was fitted on it and none of its texts is an example"),
  samples: preset(times, String(defaultSamples), "simulated certifications for each estimate"),
  seed: preset(seed, String(defaultPlanSeed), "seed of the simulation"),
} as const;

/** `calibrate fit`, `calibrateRun` */
export const fitOptions = {
  run: optional(id, "run; by default the latest"),
  ...claimOptions,
  background: preset(
    backgroundSource,
    "auto",
    "requests that the calibrator learns as out of scope, with a declared share: none, default or a file; auto selects default if no labelled request is out of scope",
  ),
  followUps: optional(path, "labelled requests that follow another one, JSON Lines, with claims of their own"),
  name: optional(text, "name of the calibration; by default derived from the run"),
} as const;
