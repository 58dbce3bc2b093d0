import { optionsOf, requireOptions } from "./checked-options.js";
import type { Calibration } from "../src/documents/calibration.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import type { FitChoices } from "../calibrate/procedure.js";
import { fitThresholds, type OtherClaims } from "./fit/fit-thresholds.js";
import type { BackgroundSource } from "./fit/background-source.js";
import { readRun } from "../store/records/read-records.js";
import { shortId } from "../src/base/text.js";
import { withHistory } from "../store/records/session.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

/**
 * The claim, and the run that is its evidence; see `defaultProcedure` for what is not given. `target_risk` is the planned
 * maximum share of wrong routes, in (0, 1). Looser targets are tested first and the last target that passes is claimed,
 * unless `looser_targets` is empty. `delta`, in (0, 1), is the probability that any claim is wrong.
 */
export interface CalibrateRunOptions extends Omit<FitChoices, "drawn_routes"> {
  /** Run id or its beginning. Default: the latest. */
  readonly run?: string | undefined;
  /** Generic requests that the calibrator learns as out of scope; requires a declared share. Default "auto". */
  readonly background?: BackgroundSource | undefined;
  /** File of labelled requests that follow another one, JSON Lines, with claims of their own. Default: none. */
  readonly followUps?: string | undefined;
  /** Version name of the calibration. Default: derived from the run. */
  readonly version?: string | undefined;
}

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
    const { run: id, version, ...choices } = options;
    const { sha256: runId } = readRun(session.history, id);
    const fitted = await fitThresholds(session, {
      ...choices,
      runId,
      version: version ?? `calibration-${shortId(runId)}`,
    });
    const { calibration, evaluation, declinedWorkflows, milliseconds } = fitted;
    return {
      runId,
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
