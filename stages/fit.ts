import { optionsOf, requireOptions } from "./checked-options.js";
import type { Calibration } from "../src/documents/calibration.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { fitThresholds, type FitThresholdsOptions, type OtherClaims } from "./fit/fit-thresholds.js";
import { withHistory } from "../store/records/session.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

/**
 * The claim, and the run that is its evidence; see `defaultProcedure` for what is not given. `target_risk` is the planned
 * maximum share of wrong routes, in (0, 1). Looser targets are tested first and the last target that passes is claimed,
 * unless `looser_targets` is empty. `delta`, in (0, 1), is the probability that any claim is wrong.
 */
export type CalibrateRunOptions = Omit<FitThresholdsOptions, "drawn_routes" | "workers" | "attempts">;

/** A saved calibration, and the evaluation of the EVAL fold under its thresholds. */
export interface CalibratedRun {
  readonly runId: string;
  readonly calibrationId: string;
  /** Thresholds, claims as sentences, and evidence. A tier without enough evidence abstains, with the reason. */
  readonly calibration: Calibration;
  readonly evaluationId: string;
  readonly evaluation: Evaluation;
  /**
   * Workflows of the catalog that are declined for lack of evidence, ascending; empty if new workflows may be routed.
   */
  readonly declinedWorkflows: readonly string[];
  /** The claim about the other population, for comparison. */
  readonly otherClaims: OtherClaims;
  readonly milliseconds: number;
}

const calibrateRunOptions = optionsOf<CalibrateRunOptions>()({
  string: ["run", "version", "claim", "followUps", "require_slices"],
  "string|object": ["background"],
  number: ["target_risk", "delta", "looser_share", "start_icc", "cross_fit"],
  "number|null": ["out_of_scope_share", "attempt"],
  list: ["looser_targets", "start_errors"],
  boolean: ["left_out"],
  "string|null": ["calibrator"],
  "list|null": ["languages"],
  object: ["required_tiers"],
});

/**
 * Fits and certifies thresholds and saves the calibration. Tiers without sufficient evidence abstain, which is a
 * result, not an error.
 *
 * @example const { calibration } = await calibrateRun(workbench, { target_risk: 0.1, claim: "fixed-catalog" }); for (const
 *   { sentence } of calibration.claims) display(sentence);
 * @throws {SluiceError} RECORD_NOT_FOUND, CALIBRATION_INVALID, SPLIT_INVALID, SCORING_ERRORS
 */
export async function calibrateRun(
  workbench: WorkbenchContext,
  options: CalibrateRunOptions = {},
): Promise<CalibratedRun> {
  requireOptions("calibrateRun", options, calibrateRunOptions);
  return withHistory(workbench, "write", async (session) => {
    const fitted = await fitThresholds(session, options);
    const { calibration, evaluation, declinedWorkflows, milliseconds } = fitted;
    return {
      runId: calibration.document.digests.run,
      calibrationId: calibration.sha256,
      calibration: calibration.document,
      evaluationId: evaluation.sha256,
      evaluation: evaluation.document,
      declinedWorkflows,
      otherClaims: fitted.otherClaims(),
      milliseconds,
    };
  });
}
