import type { FitOptions } from "../src/documents/calibration.js";
import { perTier } from "./per-tier.js";
import {
  defaultLooserShare,
  defaultLooserTargets,
  defaultStartErrors,
  defaultStartIcc,
} from "./fixed-sequence-test.js";

/** Default number of parts of the cross-fit. */
export const defaultCrossFit = 8;

/**
 * Choices of a fit that are made before the records are seen: target, delta, and the options that differ from their
 * defaults. The options stored in a calibration have this form too.
 */
export type FitChoices = Pick<FitOptions, "target_risk" | "delta"> &
  Partial<Omit<FitOptions, "target_risk" | "delta" | "required_tiers" | "background">> & {
    readonly required_tiers?: Partial<FitOptions["required_tiers"]>;
  };

/** All options of a fit with defaults filled in, as stored in a calibration. */
export const fitOptions = (choices: FitChoices): FitOptions => ({
  looser_share: defaultLooserShare,
  left_out: false,
  attempt: null,
  claim: "new-workflows",
  start_errors: defaultStartErrors,
  start_icc: defaultStartIcc,
  cross_fit: defaultCrossFit,
  calibrator: null,
  out_of_scope_share: null,
  tier_mix: null,
  costs: null,
  ...choices,
  required_tiers: perTier((tier) => choices.required_tiers?.[tier] ?? null),
  looser_targets: looserThan(choices.target_risk, choices.looser_targets ?? defaultLooserTargets),
});

/** The targets above the planned one, descending, without duplicates. */
const looserThan = (planned: number, targets: readonly number[]): readonly number[] =>
  [...new Set(targets)].filter((target) => target > planned).sort((a, b) => b - a);

/** Level of all claims of a calibration together: delta, or the part of it that this attempt may spend. */
export const levelOf = ({ delta, attempt }: Pick<FitOptions, "delta" | "attempt">): number =>
  attempt === null ? delta : (6 * delta) / (Math.PI * attempt) ** 2;
