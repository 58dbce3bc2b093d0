/** The procedure of a fit, decided in one place for projects, commands, the library and plans. */
import type { FitOptions } from "../src/documents/calibration.js";
import type { CalibratorFamily } from "../src/documents/calibrator.js";
import type { ClaimKind } from "../src/documents/choices.js";
import { SluiceError } from "../src/base/error.js";
import { perTier } from "./per-tier.js";

/** Options of a fit where nothing else is chosen. */
export const defaultProcedure = {
  target_risk: 0.05,
  /** Targets that are tested before a stricter planned one. */
  looser_targets: [0.5, 0.3, 0.2, 0.15, 0.1, 0.05, 0.02],
  /** Share of the routable requests that the threshold of a looser target routes. */
  looser_share: 0.6,
  left_out: false,
  languages: null,
  delta: 0.05,
  attempt: null,
  claim: "new-workflows",
  /** Errors that the first tested step should allow, in order of preference; with none, one early error ends the test. */
  start_errors: [3, 1, 0],
  /** Intra-workflow correlation of errors that the start assumes before any label is read. */
  start_icc: 0.1,
  cross_fit: 8,
  calibrator: null,
  out_of_scope_share: null,
} as const satisfies Partial<FitOptions>;

/**
 * Choices of a fit that are made before the records are seen: the options that differ from `defaultProcedure`. The
 * options stored in a calibration have this form too.
 */
export type FitChoices = {
  readonly [K in keyof Omit<FitOptions, "required_tiers" | "background" | "follow_ups">]?: FitOptions[K] | undefined;
} & { readonly required_tiers?: Partial<FitOptions["required_tiers"]> | undefined };

/** All options of a fit, as stored in a calibration. */
export function procedureOf(choices: FitChoices): FitOptions {
  const names = Object.keys(defaultProcedure) as (keyof typeof defaultProcedure)[];
  // A missing value is null only where the default is.
  const settled = Object.fromEntries(names.map((name) => [name, choices[name] ?? defaultProcedure[name]]));
  type Optional = "background" | "follow_ups" | "drawn_routes" | "require_slices";
  const options = settled as Omit<FitOptions, "required_tiers" | Optional>;
  const { drawn_routes, require_slices } = choices;
  return {
    ...options,
    ...(require_slices === undefined ? {} : { require_slices }),
    ...(drawn_routes === undefined ? {} : { drawn_routes }),
    required_tiers: perTier((tier) => choices.required_tiers?.[tier] ?? null),
    looser_targets: looserThan(options.target_risk, options.looser_targets),
  };
}

/** The targets above the planned one, descending, without duplicates. */
const looserThan = (planned: number, targets: readonly number[]): readonly number[] =>
  [...new Set(targets)].filter((target) => target > planned).sort((a, b) => b - a);

/** Parts of delta for the first calibrations of the same labels; see docs/adr/0044. */
const firstShares: readonly number[] = [0.8, 0.15];

/** Part of delta for all further calibrations of the same labels. */
const laterShare = 0.05;

/**
 * Part of delta that an attempt may spend; the parts of all attempts sum to 1. The j-th later attempt gets 6 / (pi j)^2
 * of their part.
 */
export const shareOfAttempt = (attempt: number): number =>
  firstShares[attempt - 1] ?? (laterShare * 6) / (Math.PI * (attempt - firstShares.length)) ** 2;

/** Level of all claims of a calibration together: delta, or the part of it that this attempt may spend. */
export const levelOf = ({ delta, attempt }: Pick<FitOptions, "delta" | "attempt">): number =>
  attempt === null ? delta : delta * shareOfAttempt(attempt);

/** The calibrator of a claim, fixed in advance so that no label influences the choice; see docs/adr/0014. */
const calibratorOfClaim: Readonly<Record<ClaimKind, CalibratorFamily>> = {
  "fixed-catalog": "catalog-features",
  "new-workflows": "verifier-features",
};

/** Options that determine the calibrator family. */
export type FamilyChoice = Pick<FitOptions, "claim" | "cross_fit" | "calibrator">;

/**
 * Fits with the prescribed family, otherwise with that of the claim. If the family of the claim cannot be fitted,
 * because the verifier has no features or the requests are few, the best one is chosen by held-out loss (undefined).
 * @throws {SluiceError} FIT_FAILED  the prescribed family cannot be fitted
 */
export function withFamily<T>(
  { claim, cross_fit: parts, calibrator }: FamilyChoice,
  fit: (family: CalibratorFamily | undefined) => T,
): T {
  if (calibrator !== null) return fit(calibrator);
  try {
    // A shift per workflow requires that each part contains all workflows.
    return fit(parts === 1 ? "verifier-features" : calibratorOfClaim[claim]);
  } catch (thrown) {
    if (!(thrown instanceof SluiceError) || thrown.code !== "FIT_FAILED") throw thrown;
    return fit(undefined);
  }
}
