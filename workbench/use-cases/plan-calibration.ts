import { type CalibrationPlan, plannedClaimKinds } from "../../calibrate/plan/calibration-plan.js";
import { type PlanChoices, planRun } from "../calibration/plan.js";
import { withHistory } from "../records/with-history.js";
import type { WorkbenchContext } from "../workbench-context.js";

/** The run to plan for, and what to plan. */
export interface PlanCalibrationOptions extends Partial<PlanChoices> {
  /** Id of the run or its beginning. Default: the latest. */
  readonly run?: string | undefined;
}

/** Claims that the data of a run can support. */
export interface PlannedCalibration {
  readonly runId: string;
  readonly plan: CalibrationPlan;
}

/**
 * Says which claims and targets the data can support, and what is missing, before anything is certified. No label of
 * CERTIFY is read and nothing is saved; the same run, options and seed give the same plan.
 *
 * @example const { plan } = await planCalibration(workbench, { claims: ["fixed-catalog"], targets: [0.05, 0.1] });
 * @throws {SluiceError} RECORD_NOT_FOUND, INTERRUPTED
 */
export async function planCalibration(
  workbench: WorkbenchContext,
  options: PlanCalibrationOptions = {},
): Promise<PlannedCalibration> {
  const { run: id, claims = plannedClaimKinds, delta = 0.05, ...choices } = options;
  return withHistory(workbench, "read", async (stage) => {
    const { run, plan } = await planRun(stage, id, { ...choices, claims, delta });
    return { runId: run.sha256, plan };
  });
}
