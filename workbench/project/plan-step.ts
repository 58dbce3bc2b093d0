import type { PlannedClaim } from "../../calibrate/plan/calibration-plan.js";
import { missingText, plannedShareText } from "../../calibrate/plan/describe-plan.js";
import { formatPercent } from "../../src/domain/number-text.js";
import { planClaimsOfRun } from "../calibration/plan.js";
import { leftOutSplit } from "../../datasets/split-by-request.js";
import { readRun, readSplit } from "../records/read-records.js";
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

/** The planned target of a project that leaves it to Sluice: looser ones are tested before it. */
const plannedTarget = 0.05;

function summaryOf(claim: PlannedClaim, target: number): string {
  const planned = `plans at most ${formatPercent(target)} wrong, after looser targets`;
  if (claim.unknown !== null) return `${planned}. ${claim.unknown}`;
  const chosen = claim.targets.find((one) => one.target === target);
  const missing =
    chosen === undefined || chosen.missing.kind === "nothing" ? "" : `: ${missingText(chosen.missing, claim)}`;
  return `${planned}; ${formatPercent(target)} certifies with probability ${plannedShareText(chosen?.probability ?? 0)}${missing}`;
}

/** Settles the target of a project, and says from FIT and TUNE how likely it is and what would make it likely. */
export async function planStep(stage: Stage, options: PlanStepOptions): Promise<FinishedStep> {
  const { runId, claim, target, delta, seed } = options;
  const planned = target === "auto" ? plannedTarget : target;
  if (
    readSplit(stage.history, readRun(stage.history, runId).document.splitSha256).document.disjoint_by === leftOutSplit
  ) {
    return {
      outputs: { target: String(planned) },
      summary: `plans at most ${formatPercent(planned)} wrong, after looser targets`,
    };
  }
  const [claimed] = await withCalibrator(options, (calibrator) =>
    planClaimsOfRun(stage, runId, { claims: [claim], targets: [planned], delta, seed, samples, ...calibrator }),
  );
  if (claimed === undefined) return { outputs: {}, summary: "nothing is planned" };
  return { outputs: { target: String(planned) }, summary: summaryOf(claimed, planned) };
}
