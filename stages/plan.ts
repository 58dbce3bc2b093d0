import { type OptionsOf, resolveOptions } from "../src/base/options.js";
import { defaultPlanSeed, defaultSamples, planOptions } from "./options/calibrate.js";
import { type CalibrationPlan, type PlannedClaim, plannedTargets } from "../src/documents/calibration-plan.js";
import { claimKinds, type ClaimKind } from "../src/documents/choices.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { saveRecord, withHistory, type Session } from "../store/records/session.js";
import { calibrationsOf } from "./evaluate/measurable-run.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isTestedIn } from "../datasets/left-out.js";
import { planClaims, plannedClaims, planWork } from "../calibrate/plan/plan-calibration.js";
import type { PlanInput } from "../calibrate/plan/plan-input.js";
import { SluiceError } from "../src/base/error.js";
import type { Run } from "../src/documents/scored-record.js";
import { type Stored, readDataset, readRun, readSplit } from "../store/records/read-records.js";
import { attemptOf, identitiesOfFits, testedRows } from "./import/tested-before.js";
import { recordsOfRun } from "./fit/background-source.js";

export type PlanCalibrationOptions = OptionsOf<typeof planOptions>;

/** A saved plan of the claims that the data of a run can support. */
export interface PlannedCalibration {
  readonly runId: string;
  /** Id of the stored plan. */
  readonly planId: string;
  readonly plan: CalibrationPlan;
}

/**
 * Says which claims and targets the data can support, and what is missing, before anything is certified. No label of
 * CERTIFY is read. Where every text is used twice, it says what the next target of the latest calibration needs. The plan is saved; the same run, options and seed give the same plan, which is saved once.
 *
 * @example const { plan } = await planCalibration(workbench, { claim: "fixed-catalog", targets: [0.05, 0.1] });
 * @throws {SluiceError} RECORD_NOT_FOUND, INTERRUPTED
 */
export async function planCalibration(
  workbench: WorkbenchContext,
  options: PlanCalibrationOptions = {},
): Promise<PlannedCalibration> {
  const given = resolveOptions("planCalibration", planOptions, options);
  const { run: id, claim, targets, crossFit, outOfScopeShare, ...others } = given;
  const choices = {
    ...others,
    claims: claim === undefined ? claimKinds : [claim],
    targets: [...new Set(targets)],
    cross_fit: crossFit,
    out_of_scope_share: outOfScopeShare,
  };
  return withHistory(workbench, "write", async (session) => {
    const { run, plan } = await planRun(session, id, choices);
    const step = calibrationsOf(session.history).findLast(({ document }) => document.digests.run === run.sha256);
    const planned = step?.document.next_step === undefined ? plan : { ...plan, next_step: step.document.next_step };
    const { sha256: planId } = saveRecord(session, "plan", canonicalBytes({ ...planned, run_sha256: run.sha256 }));
    return { runId: run.sha256, planId, plan: planned };
  });
}

/** Options of a plan; see `PlanInput`. */
type PlanChoices = Pick<PlanInput, "claims" | "delta"> &
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

interface PlannedRun {
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
