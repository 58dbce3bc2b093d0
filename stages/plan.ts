import { optionsOf, requireOptions } from "./checked-options.js";
import { type CalibrationPlan } from "../src/documents/calibration-plan.js";
import { claimKinds } from "../src/documents/choices.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { defaultProcedure } from "../calibrate/procedure.js";
import { saveRecord, withHistory } from "../store/records/session.js";
import { type PlanChoices, planRun } from "./plan/plan.js";
import { calibrationsOf } from "./evaluate/measurable-run.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

/** The run to plan for, and the options of the plan. */
export interface PlanCalibrationOptions extends Partial<PlanChoices> {
  /** Run id or its beginning. Default: the latest. */
  readonly run?: string | undefined;
}

/** A saved plan of the claims that the data of a run can support. */
export interface PlannedCalibration {
  readonly runId: string;
  /** Id of the stored plan. */
  readonly planId: string;
  readonly plan: CalibrationPlan;
}

const planCalibrationOptions = optionsOf<PlanCalibrationOptions>()({
  string: ["run"],
  number: ["delta", "start_icc", "cross_fit", "seed", "samples"],
  list: ["claims", "start_errors", "records", "targets"],
  "number|null": ["out_of_scope_share"],
  "string|null": ["calibrator"],
  boolean: ["withFit", "search"],
  function: ["attemptOf"],
});

/**
 * Says which claims and targets the data can support, and what is missing, before anything is certified. No label of
 * CERTIFY is read. Where every text is used twice, it says what the next target of the latest calibration needs. The plan is saved; the same run, options and seed give the same plan, which is saved once.
 *
 * @example const { plan } = await planCalibration(workbench, { claims: ["fixed-catalog"], targets: [0.05, 0.1] });
 * @throws {SluiceError} RECORD_NOT_FOUND, INTERRUPTED
 */
export async function planCalibration(
  workbench: WorkbenchContext,
  options: PlanCalibrationOptions = {},
): Promise<PlannedCalibration> {
  requireOptions("planCalibration", options, planCalibrationOptions);
  const { run: id, claims = claimKinds, delta = defaultProcedure.delta, ...choices } = options;
  return withHistory(workbench, "write", async (session) => {
    const { run, plan } = await planRun(session, id, { ...choices, claims, delta });
    const step = calibrationsOf(session.history).findLast(({ document }) => document.digests.run === run.sha256);
    const planned = step?.document.next_step === undefined ? plan : { ...plan, next_step: step.document.next_step };
    const { sha256: planId } = saveRecord(session, "plan", canonicalBytes({ ...planned, run_sha256: run.sha256 }));
    return { runId: run.sha256, planId, plan: planned };
  });
}
