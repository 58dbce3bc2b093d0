import type { Calibration } from "../src/domain/calibration.js";
import type { Background } from "./background-rows.js";
import type { ClaimKind } from "../src/domain/choices.js";
import type { CalibratorFamily } from "../src/domain/calibrator.js";
import { type RiskTier, riskTiers } from "../src/domain/choices.js";
import type { ScoredRecord } from "../src/domain/scored-record.js";
import type { Fold } from "../src/domain/choices.js";
import { SluiceError } from "../src/errors/error.js";
import type { RequiredTiers } from "./certify-claims.js";
import { formatCount, formatFixedPercent } from "../src/domain/number-text.js";
import type { RequestCosts } from "./operating-cost.js";
import type { TierMix } from "./traffic.js";

export interface FitCalibrationInput {
  /** Scored records; those of TUNE and CERTIFY are used. */
  readonly records: readonly ScoredRecord[];
  /** Largest share of wrong routes, in (0, 1); of all requests under the claim "expected-joint-risk". */
  readonly target: number;
  /** Tiers that must hold a target by themselves, and abstain until they do. Default: none. */
  readonly requiredTiers?: RequiredTiers;
  /** Probability that any claim of the file is wrong, in (0, 1). */
  readonly delta: number;
  /**
   * Declared share of out-of-scope requests in service, in [0, 1): rates are re-weighted to it before they are
   * compared with the targets. Default: the mix of CERTIFY.
   */
  readonly outOfScopeShare?: number;
  /** Declared shares of the tiers in the in-scope requests, summing to 1. Default: those of CERTIFY. */
  readonly tierMix?: TierMix;
  /** Default "new-workflows". */
  readonly claim?: ClaimKind;
  /** Chooses among the certified points; default: the ones that route most. */
  readonly costs?: RequestCosts;
  /** Family of the calibrator, settled before anyone saw the records; default: the choice by held-out loss. */
  readonly calibrator?: CalibratorFamily;
  /**
   * Number of parts of a cross-fit over TUNE and CERTIFY together, by workflow (by request for `catalog-evidence`): each
   * request is tested with a calibrator that was fitted on the other parts; the calibrator that ships is fitted on all
   * of them. 1: TUNE learns and CERTIFY tests. Default 8.
   */
  readonly crossFit?: number;
  /** Errors that the first tested rung should allow, with fallbacks; see calibrate/rule.ts. Default [3, 1, 0]. */
  readonly startErrors?: readonly number[];
  /** Correlation of errors inside a workflow that the start assumes, in [0, 1]. Default 0.1. */
  readonly startIcc?: number;
  /**
   * Targets to test before the planned one, each in (0, 1); those above it are tested, loosest first. Empty: the planned
   * target alone. Default: 0.5, 0.3, 0.2, 0.15, 0.1, 0.05 and 0.02.
   */
  readonly looserTargets?: readonly number[];
  /** Share of the routable requests that the threshold of a looser target routes, in (0, 1]. Default 0.6. */
  readonly looserShare?: number;
  /** Each record was scored with its family left out of the catalog's examples. Default false. */
  readonly leftOut?: boolean;
  /** Generic requests that are learned as out of scope; they are in no test and no count. Default: none. */
  readonly background?: Background;
  readonly digests: Calibration["digests"];
  readonly version: string;
}

/** Share of requests that may fail to be scored. */
const mayFail = 0.01;

function refuse(message: string, hint: string): never {
  throw new SluiceError("CALIBRATION_INVALID", message, { hint });
}

const inside = (value: number): boolean => value > 0 && value < 1;

function assertNumbers(input: FitCalibrationInput): void {
  const { target, delta, outOfScopeShare } = input;
  if (!inside(target)) refuse(`the target is ${target}, expected a number between 0 and 1`, "Give 5 % as 0.05.");
  assertRequiredTiers(input);
  if (!inside(delta)) refuse(`delta is ${delta}, expected a number between 0 and 1`, "Use 0.05 in most cases.");
  if (outOfScopeShare !== undefined && !(outOfScopeShare >= 0 && outOfScopeShare < 1)) {
    refuse(`the out-of-scope share is ${outOfScopeShare}, expected at least 0 and below 1`, "Give 10 % as 0.1.");
  }
  assertStart(input);
}

function assertRequiredTiers({ target, requiredTiers = {} }: FitCalibrationInput): void {
  for (const [tier, own] of Object.entries(requiredTiers)) {
    if (inside(own) && own <= target) continue;
    refuse(
      `the target of tier ${tier} is ${own}, expected a number above 0 and at most the overall target ${target}`,
      `A tier whose target is above the overall target needs no claim of its own: omit ${tier}.`,
    );
  }
}

function assertStart({ startErrors, startIcc, looserTargets = [], looserShare = 1 }: FitCalibrationInput): void {
  if (!looserTargets.every(inside) || !(looserShare > 0 && looserShare <= 1)) {
    refuse(
      `found the looser targets ${looserTargets.join(", ")} at ${looserShare}, expected numbers between 0 and 1`,
      "Give 30 % as 0.3.",
    );
  }
  if (startErrors !== undefined) assertStartErrors(startErrors);
  if (startIcc !== undefined && !(startIcc >= 0 && startIcc <= 1)) {
    refuse(
      `the correlation at the start is ${startIcc}, expected 0 to 1`,
      "Use the value of an earlier calibration, or 0.1.",
    );
  }
}

/** Options that are out of range or do not go together. */
function assertChoices(input: FitCalibrationInput): void {
  const { tierMix, costs, claim, requiredTiers = {}, outOfScopeShare, background } = input;
  if (background !== undefined && (outOfScopeShare ?? 0) === 0) {
    refuse(
      "background requests were given without a declared out-of-scope share, which sets their weight",
      "Declare the share: --out-of-scope-share 0.1; or leave the background out: --background none.",
    );
  }
  if (tierMix !== undefined) assertShares("tier mix", tierMix, (share) => share >= 0);
  if (costs !== undefined && !(costs.falseRoute >= 0 && costs.fallback >= 0)) {
    refuse(
      `the costs are ${costs.falseRoute} and ${costs.fallback}, expected numbers of at least 0`,
      "Give both costs in the same unit, for example 5 and 0.2.",
    );
  }
  if (claim !== "expected-joint-risk") return;
  if (Object.keys(requiredTiers).length > 0) {
    refuse(
      "tiers with their own target are not possible with the claim expected-joint-risk, which is one bound over all tiers",
      "Omit --require-tier, or use the claim new-workflows or fixed-catalog.",
    );
  }
  if (outOfScopeShare !== undefined) {
    refuse(
      "a declared out-of-scope share cannot be certified with the claim expected-joint-risk",
      "Omit the share, or use the claim new-workflows or fixed-catalog.",
    );
  }
}

function assertCrossFit({ crossFit, calibrator, claim }: FitCalibrationInput): void {
  if (crossFit !== undefined && !(Number.isInteger(crossFit) && crossFit >= 1)) {
    refuse(`found a cross-fit of ${crossFit} parts, expected a count of at least 1`, "Use 8, or 1 for no cross-fit.");
  }
  // A shift per workflow helps only where each part contains all workflows.
  if (calibrator === "catalog-evidence" && (claim !== "fixed-catalog" || crossFit === 1)) {
    refuse(
      "the calibrator catalog-evidence requires a cross-fit and the claim fixed-catalog",
      "Add --claim fixed-catalog and omit --cross-fit, or use the calibrator verifier-evidence.",
    );
  }
}

function assertStartErrors(startErrors: readonly number[]): void {
  if (startErrors.length > 0 && startErrors.every((errors) => Number.isInteger(errors) && errors >= 0)) return;
  refuse("the start errors are not a list of counts", "Use 3,1,0.");
}

function assertShares(
  what: string,
  shares: Readonly<Record<RiskTier, number>>,
  allowed: (share: number) => boolean,
): void {
  const values = riskTiers.map((tier) => shares[tier]);
  const sum = values.reduce((total, value) => total + value, 0);
  if (values.every(allowed) && Math.abs(sum - 1) <= 1e-9) return;
  refuse(`the ${what} sum to ${sum}, expected shares that sum to 1`, "Use 0.25 for each tier.");
}

/** A claim about new workflows is invalid where the model or the calibrator saw them. */
function assertFoldsDisjoint({ records, claim }: FitCalibrationInput): void {
  if (claim === "fixed-catalog") return;
  const foldOf = new Map<string, Fold>();
  for (const { cluster, fold } of records) {
    const known = foldOf.get(cluster);
    if (known === undefined) foldOf.set(cluster, fold);
    else if (known !== fold) {
      throw new SluiceError("FOLDS_OVERLAP", `${cluster} is in the folds ${known} and ${fold}, expected one fold`, {
        hint: "Split the dataset by workflow and score it again, or use the claim fixed-catalog.",
        details: { cluster, folds: [known, fold] },
      });
    }
  }
}

function assertScored(records: readonly ScoredRecord[]): void {
  const failed = records.filter((record) => record.errorCode !== null).length;
  if (failed <= mayFail * records.length) return;
  throw new SluiceError(
    "EXAMPLE_ERRORS",
    `${formatCount(failed)} of ${formatCount(records.length)} requests failed, expected at most ${formatFixedPercent(mayFail)}`,
    { hint: "Fix the failures shown by `sluice eval show`, and score the run again.", details: { failed } },
  );
}

/**
 * Refuses input that cannot support a claim.
 * @throws {SluiceError} CALIBRATION_INVALID, FOLDS_OVERLAP or EXAMPLE_ERRORS
 */
export function assertFitInput(input: FitCalibrationInput): void {
  assertNumbers(input);
  assertChoices(input);
  assertCrossFit(input);
  assertFoldsDisjoint(input);
  assertScored(input.records);
}
