import { setImmediate as nextTurn } from "node:timers/promises";
import { isTestedIn } from "../../datasets/left-out.js";
import { type CalibrationPlan, type PlannedClaim, plannedTargets } from "../../src/documents/calibration-plan.js";
import type { ClaimKind } from "../../src/documents/choices.js";
import { planClaims, plannedClaims, planWork } from "../../calibrate/plan/plan-calibration.js";
import type { PlanInput } from "../../calibrate/plan/plan-input.js";
import { SluiceError } from "../../src/base/error.js";
import type { Run } from "../../src/documents/scored-record.js";
import { type Stored, readDataset, readRun, readSplit } from "../../store/records/read-records.js";
import { attemptOf, identitiesOfFits, testedRows } from "../import/tested-before.js";
import type { Session } from "../../store/records/session.js";
import { recordsOfRun } from "../fit/background-source.js";

/** Default number of simulated certifications per probability. */
export const defaultSamples = 200;
export const defaultPlanSeed = 1;

/** Options of a plan; see `PlanInput`. */
export type PlanChoices = Pick<PlanInput, "claims" | "delta"> &
  Partial<
    Pick<
      PlanInput,
      | "records"
      | "targets"
      | "calibrator"
      | "cross_fit"
      | "out_of_scope_share"
      | "start_errors"
      | "start_icc"
      | "withFit"
      | "search"
      | "seed"
      | "attemptOf"
      | "samples"
    >
  >;

export interface PlannedRun {
  readonly run: Stored<Run>;
  readonly plan: CalibrationPlan;
}

/** Receives progress and can cancel the plan. */
export type PlanContext = Pick<Session["context"], "progress" | "signal">;

/**
 * Runs a plan of so many simulated certifications at most, with progress.
 * @throws {SluiceError} INTERRUPTED
 */
export async function withPlanProgress<T>(
  { progress, signal }: PlanContext,
  work: number,
  body: (afterSample: PlanInput["afterSample"]) => Promise<T>,
): Promise<T> {
  let done = 0;
  progress.start("planning", work, "end");
  try {
    const answer = await body(async () => {
      done += 1;
      progress.update(done);
      await nextTurn();
      if (signal.aborted) {
        throw new SluiceError("INTERRUPTED", "the plan was stopped", { hint: "Run the same command again." });
      }
    });
    progress.update(work);
    return answer;
  } finally {
    progress.done();
  }
}

/** Asks `question` about scored records that were split in this way, with progress. */
function askPlan<T>(
  context: PlanContext,
  { records, split, choices }: Pick<PlanInput, "records" | "split"> & { readonly choices: PlanChoices },
  question: (input: PlanInput) => Promise<T>,
): Promise<T> {
  const asked = {
    targets: plannedTargets,
    seed: defaultPlanSeed,
    samples: defaultSamples,
    ...choices,
    records,
    split,
  };
  return withPlanProgress(context, planWork(asked), (afterSample) => question({ ...asked, afterSample }));
}

const populations = { "new-workflows": "new_workflows", "fixed-catalog": "this_catalog" } as const;

/** What to plan for a run: a further calibration on its labels. */
function ofRun({ history }: Session, run: Stored<Run>, choices: PlanChoices) {
  const split = readSplit(history, run.document.split_sha256).document;
  const rows = readDataset(history, run.document.dataset_sha256).document.filter(isTestedIn(split));
  const tested = testedRows(history);
  const identityOf = identitiesOfFits(history);
  const attempt = (claim: ClaimKind): number =>
    attemptOf(tested, rows, {
      population: populations[claim],
      identity: "",
      identityOf,
    });
  return {
    records: choices.records ?? recordsOfRun(history, run),
    split,
    choices: { attemptOf: attempt, ...choices },
  };
}

/**
 * Plans the certification of a scored run. Saves nothing; the same run and choices give the same plan.
 * @throws {SluiceError} INTERRUPTED, and the errors of reading
 */
export async function planRun(session: Session, runId: string | undefined, choices: PlanChoices): Promise<PlannedRun> {
  const run = readRun(session.history, runId);
  return { run, plan: await askPlan(session.context, ofRun(session, run, choices), planClaims) };
}

/** Only the claims of the plan. @throws {SluiceError} as `planRun` */
export function planClaimsOfRun(
  session: Session,
  runId: string,
  choices: PlanChoices,
): Promise<readonly PlannedClaim[]> {
  return askPlan(session.context, ofRun(session, readRun(session.history, runId), choices), plannedClaims);
}
