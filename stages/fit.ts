import { type OptionsOf, resolveOptions, type ValuesOf } from "../src/base/options.js";
import { fitOptions } from "./options/calibrate.js";
import type { FitChoices } from "../calibrate/procedure.js";
import type { Calibration } from "../src/documents/calibration.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { fitThresholds, type OtherClaims } from "./fit/fit-thresholds.js";
import { withHistory } from "../store/records/session.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

export type CalibrateRunOptions = OptionsOf<typeof fitOptions>;

/** A saved calibration, and the evaluation of the EVAL fold under its thresholds. */
export interface CalibratedRun {
  readonly run: string;
  readonly calibration: string;
  /** Thresholds, claims as sentences, and evidence. A tier without enough evidence abstains, with the reason. */
  readonly document: Calibration;
  readonly evaluation_id: string;
  readonly evaluation: Evaluation;
  /**
   * Workflows of the catalog that are declined for lack of evidence, ascending; empty if new workflows may be routed.
   */
  readonly declined_workflows: readonly string[];
  /** The claim about the other population, for comparison. */
  readonly other_claim: OtherClaims;
  readonly milliseconds: number;
}

/** The options of a fit as its document has them. */
const choicesOf = (given: ValuesOf<typeof fitOptions>): FitChoices => ({
  target_risk: given.target,
  required_tiers: given.requireTier,
  languages: given.languages,
  require_slices: given.requireSlices,
  delta: given.delta,
  claim: given.claim,
  start_errors: given.startErrors,
  start_icc: given.startIcc,
  looser_targets: given.onlyTarget ? [] : undefined,
  cross_fit: given.crossFit,
  calibrator: given.calibrator,
  out_of_scope_share: given.outOfScopeShare,
});

/**
 * Fits and certifies thresholds and saves the calibration. Tiers without sufficient evidence abstain, which is a
 * result, not an error. Looser targets are tested first, and the last that passes is claimed, unless `onlyTarget`.
 *
 * @example const { document } = await calibrateRun(workbench, { target: 0.1, claim: "fixed-catalog" }); for (const
 *   { promise } of document.claims) display(promise);
 * @throws {SluiceError} RECORD_NOT_FOUND, CALIBRATION_INVALID, SPLIT_INVALID, SCORING_ERRORS
 */
export async function calibrateRun(
  workbench: WorkbenchContext,
  options: CalibrateRunOptions = {},
): Promise<CalibratedRun> {
  const given = resolveOptions("calibrateRun", fitOptions, options);
  const { run, background, followUps, name: version } = given;
  return withHistory(workbench, "write", async (session) => {
    const fitted = await fitThresholds(session, { run, background, followUps, version, ...choicesOf(given) });
    const { calibration, evaluation, declinedWorkflows, milliseconds } = fitted;
    return {
      run: calibration.document.digests.run,
      calibration: calibration.sha256,
      document: calibration.document,
      evaluation_id: evaluation.sha256,
      evaluation: evaluation.document,
      declined_workflows: declinedWorkflows,
      other_claim: fitted.otherClaims(),
      milliseconds,
    };
  });
}
