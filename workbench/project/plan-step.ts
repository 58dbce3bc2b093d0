import { type PlannedClaim, plannedTargets } from "../../calibrate/plan/calibration-plan.js";
import { missingText, plannedShareText } from "../../calibrate/plan/describe-plan.js";
import { formatPercent } from "../../src/domain/number-text.js";
import { planClaimsOfRun } from "../calibration/plan.js";
import type { Stage } from "../records/stage.js";
import type { ProjectFile } from "./project-file.js";
import { type SettledCalibrator, withCalibrator } from "./settled-calibrator.js";
import type { FinishedStep } from "./run-steps.js";

export interface PlanStepOptions extends SettledCalibrator {
  readonly runId: string;
  readonly claim: PlannedClaim["claim"];
  readonly target: ProjectFile["claim"]["target"];
  readonly delta: number;
  readonly seed: number;
}

/** Simulated certifications behind each probability. */
const samples = 100;

/**
 * A target that this many requests can certify at best, before labels are read. At 10 % it takes 76 routed requests
 * with at most 3 wrong, at 20 % 37, at 30 % 24.
 */
export function targetByCount(requests: number): number {
  if (requests >= 400) return 0.1;
  return requests >= 150 ? 0.2 : 0.3;
}

/** The target to certify: the requested one, or the advised one. No label of CERTIFY or EVAL is read. */
function settledTarget(asked: PlanStepOptions["target"], claim: PlannedClaim): number {
  if (asked !== "auto") return asked;
  if (claim.unknown !== null) return targetByCount(claim.present.requests);
  return claim.advised ?? claim.targets.at(-1)?.target ?? targetByCount(claim.present.requests);
}

function summaryOf(claim: PlannedClaim, target: number): string {
  if (claim.unknown !== null)
    return `at most ${formatPercent(target)} wrong, by the number of requests. ${claim.unknown}`;
  const chosen = claim.targets.find((one) => one.target === target);
  const stricter = claim.targets.findLast((one) => one.target < target && one.missing.kind !== "nothing");
  const next =
    stricter === undefined ? "" : `; ${formatPercent(stricter.target)}: ${missingText(stricter.missing, claim)}`;
  const certifies = plannedShareText(chosen?.probability ?? 0);
  return `at most ${formatPercent(target)} wrong certifies with probability ${certifies}${next}`;
}

/** Plans a project's claim from FIT and TUNE and settles its target. */
export async function planStep(stage: Stage, options: PlanStepOptions): Promise<FinishedStep> {
  const { runId, claim, target, delta, seed } = options;
  const targets = target === "auto" ? plannedTargets : [...new Set([...plannedTargets, target])];
  const [planned] = await withCalibrator(options, (calibrator) =>
    planClaimsOfRun(stage, runId, { claims: [claim], targets, delta, seed, samples, ...calibrator }),
  );
  if (planned === undefined) return { outputs: {}, summary: "nothing is planned" };
  const settled = settledTarget(target, planned);
  return { outputs: { target: String(settled) }, summary: summaryOf(planned, settled) };
}
