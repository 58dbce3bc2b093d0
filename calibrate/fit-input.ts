import type { Calibration, ClaimKind, Procedure } from "../src/domain/calibration.js";
import type { CalibratorFamily } from "../src/domain/calibrator.js";
import { type RiskTier, riskTiers } from "../src/domain/catalog.js";
import type { ScoredRecord } from "../src/domain/scored-record.js";
import type { Fold } from "../src/domain/split.js";
import { SluiceError } from "../src/errors/error.js";
import { count, percent } from "./number-text.js";
import type { RequestCosts } from "./operating-cost.js";
import type { TierMix } from "./traffic.js";

export interface FitCalibrationInput {
  /** Scored records of the folds TUNE and CERTIFY, and FIT where asked for; records of EVAL are not looked at. */
  readonly records: readonly ScoredRecord[];
  /** Largest wanted share of wrong routes of each tier, in (0, 1). */
  readonly targets: Readonly<Record<RiskTier, number>>;
  /** Probability that any claim of the file is wrong, in (0, 1); split over the tiers. */
  readonly delta: number;
  /** Share of delta of each tier, summing to 1. Default: equal over the tiers that TUNE requests reach. */
  readonly tierWeights?: Readonly<Record<RiskTier, number>>;
  /**
   * Declared share of out-of-scope requests in service, in [0, 1): rates are re-weighted to it before they are compared
   * with the targets. Default: the mix of CERTIFY as it is.
   */
  readonly outOfScopeShare?: number;
  /** Declared shares of the tiers in the in-scope requests, summing to 1. Default: those of CERTIFY. */
  readonly tierMix?: TierMix;
  /** Default "new-workflows-approximate". */
  readonly claim?: ClaimKind;
  /** Default "fixed-sequence". */
  readonly procedure?: Procedure;
  /** Seed of the order in which the claim "new-workflows" looks at workflows. Default 0. */
  readonly seed?: number;
  /** Chooses among the certified points; default: the ones that route most. */
  readonly costs?: RequestCosts;
  /** Family of the calibrator, settled before anyone saw the records; default: the choice by held-out loss. */
  readonly calibrator?: CalibratorFamily;
  /**
   * Fold whose first candidates fit the calibrator. Default "tune": the verifier's scores are in-sample on FIT and
   * therefore too confident; the labels of TUNE serve the path, the grid and this, and nothing that is certified.
   */
  readonly calibratorFold?: Extract<Fold, "fit" | "tune">;
  /**
   * Number of parts, by workflow, of a cross-fit over TUNE and CERTIFY together, integer of at least 2: each request is
   * tested with a calibrator that was fitted on the other parts; the calibrator that ships is fitted on all of them.
   * Only with the claim "fixed-catalog". Default: no cross-fit, TUNE learns and CERTIFY tests.
   */
  readonly crossFit?: number;
  /** Errors that the first tested point should allow, with fallbacks; see `fixedSequence`. Default [1]. */
  readonly startErrors?: readonly number[];
  readonly digests: Calibration["digests"];
  readonly version: string;
}

/** Share of requests that may fail to be scored. */
const mayFail = 0.01;

function refuse(message: string, hint: string): never {
  throw new SluiceError("CALIBRATION_INVALID", message, { hint });
}

const inside = (value: number): boolean => value > 0 && value < 1;

function assertNumbers({ targets, delta, tierWeights, outOfScopeShare, startErrors }: FitCalibrationInput): void {
  for (const tier of riskTiers) {
    if (!inside(targets[tier])) {
      refuse(`the target of tier ${tier} is ${targets[tier]}, expected a number between 0 and 1`, "Give 5 % as 0.05.");
    }
  }
  if (!inside(delta))
    refuse(`delta is ${delta}, expected a number between 0 and 1`, "Use 0.05 unless you know better.");
  if (outOfScopeShare !== undefined && !(outOfScopeShare >= 0 && outOfScopeShare < 1)) {
    refuse(`the out-of-scope share is ${outOfScopeShare}, expected at least 0 and below 1`, "Give 10 % as 0.1.");
  }
  if (startErrors !== undefined) assertStartErrors(startErrors);
  if (tierWeights !== undefined) assertShares("tier weights", tierWeights, (weight) => weight > 0);
}

/** Options that are out of range or do not go together. */
function assertChoices({ tierMix, costs, claim, procedure, outOfScopeShare }: FitCalibrationInput): void {
  if (tierMix !== undefined) assertShares("tier mix", tierMix, (share) => share >= 0);
  if (costs !== undefined && !(costs.falseRoute >= 0 && costs.fallback >= 0)) {
    refuse(
      `the costs are ${costs.falseRoute} and ${costs.fallback}, expected numbers of at least 0`,
      "Give both costs in one unit, e.g. 5 and 0.2.",
    );
  }
  if (claim === "expected-joint-risk" && procedure !== undefined && procedure !== "fixed-sequence") {
    refuse(`the claim expected-joint-risk has no tests for the procedure ${procedure}`, "Leave the procedure out.");
  }
  if (outOfScopeShare !== undefined && (claim === "new-workflows" || claim === "expected-joint-risk")) {
    refuse(
      `a declared out-of-scope share cannot be certified under the claim ${claim}`,
      "Leave the share out, or use the claim new-workflows-approximate or fixed-catalog.",
    );
  }
}

function assertCrossFit({ crossFit, claim }: FitCalibrationInput): void {
  if (crossFit === undefined || (Number.isInteger(crossFit) && crossFit >= 2 && claim === "fixed-catalog")) return;
  refuse(
    `found a cross-fit of ${crossFit} parts under the claim ${claim ?? "of the default"}, expected at least 2 and fixed-catalog`,
    "Leave the cross-fit out, or use 5 with the claim fixed-catalog.",
  );
}

/** A shift for each workflow helps where each part of the requests knows all workflows, and nowhere else. */
function assertCalibrator({ calibrator, crossFit }: FitCalibrationInput): void {
  if (calibrator !== "catalog-evidence" || crossFit !== undefined) return;
  refuse(
    "the calibrator catalog-evidence was asked for without a cross-fit",
    "Add --claim fixed-catalog --cross-fit 5, or take the calibrator verifier-evidence.",
  );
}

function assertStartErrors(startErrors: readonly number[]): void {
  if (startErrors.length > 0 && startErrors.every((errors) => Number.isInteger(errors) && errors >= 0)) return;
  refuse("the start errors are not a list of counts", "Use 1, or 1,0 for a small data set.");
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

function assertFoldsDisjoint(records: readonly ScoredRecord[]): void {
  const foldOf = new Map<string, Fold>();
  for (const { cluster, fold } of records) {
    const known = foldOf.get(cluster);
    if (known !== undefined && known !== fold) {
      throw new SluiceError("FOLDS_OVERLAP", `${cluster} is in the folds ${known} and ${fold}, expected one fold`, {
        hint: "Split the data set again with `sluice dataset split` and score it again.",
        details: { cluster, folds: [known, fold] },
      });
    }
    foldOf.set(cluster, fold);
  }
}

function assertScored(records: readonly ScoredRecord[]): void {
  const failed = records.filter((record) => record.errorCode !== null).length;
  if (failed <= mayFail * records.length) return;
  throw new SluiceError(
    "EXAMPLE_ERRORS",
    `${count(failed)} of ${count(records.length)} requests failed to be scored, expected at most ${percent(mayFail)}`,
    { hint: "Correct the failures shown by `sluice eval show` and score the run again.", details: { failed } },
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
  assertCalibrator(input);
  assertFoldsDisjoint(input.records);
  assertScored(input.records);
}
