import type { FitCalibrationInput } from "../../calibrate/fit-input.js";
import { abstentionAdvice } from "../../calibrate/plan/describe-plan.js";
import { type PlannedClaimKind, plannedClaimKinds, plannedTargets } from "../../calibrate/plan/calibration-plan.js";
import type { CalibrationWire } from "../../src/domain/calibration.js";
import { leftOutSplit } from "../../datasets/split-by-request.js";
import type { SplitWire } from "../../src/domain/split.js";
import { type PlanContext, planRecords } from "./plan.js";

/** Number of simulated certifications behind a line of advice. */
const samples = 100;

const plannedKind = (claim: FitCalibrationInput["claim"]): PlannedClaimKind | undefined =>
  plannedClaimKinds.find((kind) => kind === (claim ?? "new-workflows"));

/**
 * One or two lines on what is missing where the planned target was not certified. Empty when it was, and for
 * averages and tiers that must hold by themselves, which have no plan.
 */
export async function adviceOnAbstention(
  context: PlanContext,
  split: SplitWire,
  input: FitCalibrationInput,
  { claims }: Pick<CalibrationWire, "claims">,
): Promise<readonly string[]> {
  const kind = plannedKind(input.claim);
  const abstains = claims.some(
    ({ scope, certified, target_risk: signed }) => scope === "overall" && (!certified || signed > input.target),
  );
  if (split.disjoint_by === leftOutSplit) return [];
  if (kind === undefined || !abstains || Object.keys(input.requiredTiers ?? {}).length > 0) return [];
  const { calibrator, outOfScopeShare, crossFit, startErrors, startIcc, delta, target } = input;
  const plan = await planRecords(
    context,
    { records: input.records, split },
    {
      claims: [kind],
      targets: [target, ...plannedTargets.filter((one) => one > target)],
      delta,
      samples,
      ...(calibrator === undefined ? {} : { calibrator }),
      ...(outOfScopeShare === undefined ? {} : { outOfScopeShare }),
      ...(crossFit === undefined ? {} : { crossFit }),
      ...(startErrors === undefined ? {} : { startErrors }),
      ...(startIcc === undefined ? {} : { startIcc }),
    },
  );
  return abstentionAdvice(plan, target);
}
