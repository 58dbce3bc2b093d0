import { defaultWorkers } from "../choices.js";
import { isTestedIn } from "../../datasets/left-out.js";
import type { FitInput } from "../../calibrate/fit-input.js";
import { exampleTest } from "../../datasets/families.js";
import type { FitChoices } from "../../calibrate/procedure.js";
import { drawnSplit, leftOutSplit } from "../../datasets/split-by-request.js";
import { lacksOutOfScope } from "../../calibrate/background-rows.js";
import type { Learned } from "../../calibrate/cross-fit.js";
import { fitCalibration, learn, plannedOptions, testedRequests } from "../../calibrate/fit-calibration.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import type { Catalog } from "../../src/documents/catalog.js";
import { type Calibration, type NextStep, statementOf } from "../../src/documents/calibration.js";
import type { ClaimKind } from "../../src/documents/choices.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { Run } from "../../src/documents/scored-record.js";
import type { Split } from "../../src/documents/split.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { readInput } from "../../src/base/files.js";
import { shortId } from "../../src/base/text.js";
import { evaluateRun } from "../evaluate.js";
import { historyWarnings } from "./history-warnings.js";
import { fittedOn } from "./stored-input.js";
import { attemptOf, attemptOfFollowUps, identitiesOfFits, testedRows } from "../import/tested-before.js";
import { type Stored, readCatalog, readDataset, readRun, readSplit } from "../../store/records/read-records.js";
import { saveRecord, type Session } from "../../store/records/session.js";
import {
  backgroundRequests,
  type BackgroundSource,
  readFollowUps,
  recordsOfRun,
  scoreFitRows,
} from "./background-source.js";
import { type PlanContext, withPlanProgress } from "../plan.js";
import { defaultPlanSeed } from "../options/calibrate.js";
import { nextStepWork, planNextStep } from "../../calibrate/plan/next-step.js";

export interface FitThresholdsOptions extends FitChoices {
  /** Run id or its beginning. Default: the latest. */
  readonly run?: string | undefined;
  /** Version name of the calibration. Default: derived from the run. */
  readonly version?: string | undefined;
  /** Generic requests that the calibrator learns as out of scope; requires a declared share. Default "auto". */
  readonly background?: BackgroundSource | undefined;
  /** File of labelled requests that follow another one, JSON Lines, with claims of their own. Default: none. */
  readonly followUps?: string | undefined;
  /** Number of inference threads for scoring the background. Default 2. */
  readonly workers?: number;
  /**
   * "counted": earlier calibrations on the same labels lower the level of this one, regardless of their author.
   * "single": does not count them; only for a comparison that is fixed in advance and never released. Default
   * "counted".
   */
  readonly attempts?: "counted" | "single";
}

/** Sentences of the claim about the other population, or why it cannot be certified. */
export interface OtherClaims {
  readonly claim: ClaimKind;
  readonly sentences: readonly string[];
}

export interface FittedThresholds {
  readonly calibration: Stored<Calibration>;
  /** Evaluation of the EVAL fold under these thresholds. */
  readonly evaluation: Stored<Evaluation>;
  /**
   * Workflows of the catalog that are declined for lack of evidence, ascending; empty if new workflows may be routed.
   */
  readonly declinedWorkflows: readonly string[];
  /** Tests the claim about the other population, for comparison. Saves nothing. */
  readonly otherClaims: () => OtherClaims;
  readonly milliseconds: number;
}

/**
 * Fits and certifies the thresholds of every tier, saves the calibration, and evaluates it on the EVAL fold. Each claim
 * that is not certified adds a warning about the missing evidence, determined by simulation.
 */
export async function fitThresholds(session: Session, options: FitThresholdsOptions): Promise<FittedThresholds> {
  const started = session.context.clock();
  const run = readRun(session.history, options.run);
  const { input, attachments } = await resolveFit(session, run, options);
  const split = readSplit(session.history, run.document.split_sha256).document;
  const document = await fitWithAdvice(session.context, split, input);
  const bytes = canonicalBytes(document);
  const { sha256 } = saveRecord(session, "calibration", bytes, attachments);
  const { records } = input;
  const evaluation = evaluateRun(session, { runId: run.sha256, calibrationId: sha256, fold: "eval", records });
  return {
    calibration: { sha256, bytes, document },
    evaluation,
    declinedWorkflows: declinedBy(document, readCatalog(session.history, run.document.catalog_sha256).document),
    otherClaims: () => otherClaimsOf(input),
    milliseconds: session.context.clock() - started,
  };
}

/** The whole input of a fit, with the bytes of its further rows, which are stored with the calibration. */
async function resolveFit(
  session: Session,
  run: Stored<Run>,
  options: FitThresholdsOptions,
): Promise<{ readonly input: FitInput; readonly attachments: readonly Uint8Array[] }> {
  const { run: _, version, background: source, followUps: file, workers = defaultWorkers, ...others } = options;
  const { attempts, ...choices } = others;
  const { history } = session;
  const split = readSplit(history, run.document.split_sha256).document;
  requireOwnTest(split, choices);
  const fit = {
    ...choices,
    version: version ?? `calibration-${shortId(run.sha256)}`,
    left_out: split.disjoint_by === leftOutSplit || choices.left_out,
    records: recordsOfRun(history, run),
    digests: fittedOn(run),
  };
  const requests = await backgroundRequests(sourceOf(source, fit));
  const background = requests && (await scoreFitRows(session, run, { requests, workers }));
  const learned = { ...fit, background: background?.rows };
  const attempt = attempts === "single" ? choices.attempt : attemptOfFit(session, run, learned);
  const followUps = file === undefined ? undefined : await scoreFollowUps(session, run, { file, workers });
  const attachments = [background, followUps].flatMap((further) => further?.attachments ?? []);
  return { input: { ...learned, attempt, followUps: followUps?.rows }, attachments };
}

function sourceOf(source: BackgroundSource = "auto", fit: Parameters<typeof lacksOutOfScope>[0]) {
  if (source !== "auto") return source;
  return lacksOutOfScope(fit) ? "shipped" : "none";
}

/**
 * Scores labelled follow-ups.
 * @throws {SluiceError} FILE_NOT_FOUND; DOCUMENT_INVALID  also for a workflow that is not in the catalog, and a text that is an example of it
 */
async function scoreFollowUps(
  session: Session,
  run: Stored<Run>,
  { file, workers }: { readonly file: string; readonly workers: number },
) {
  const requests = readFollowUps(await readInput(file), file);
  const { workflows } = readCatalog(session.history, run.document.catalog_sha256).document;
  requireUsable(requests.rows, workflows, file);
  const { rows, attachments } = await scoreFitRows(session, run, { requests, workers });
  return { rows: { ...rows, attempt: attemptOfFollowUps(session.history, rows.recordsSha256) }, attachments };
}

function requireUsable(rows: readonly LabelledRequest[], workflows: Catalog["workflows"], file: string): void {
  const known = new Set<string>(workflows.map(({ workflow_id: id }) => id));
  const isExample = exampleTest({ workflows });
  for (const { id, text, workflow_id: workflowId } of rows) {
    const isStrange = workflowId !== null && !known.has(workflowId);
    if (!isStrange && !isExample(text)) continue;
    throw new SluiceError(
      "DOCUMENT_INVALID",
      isStrange
        ? `${file}: request ${id} has the workflow ${workflowId}, which is missing from the catalog`
        : `${file}: the text of request ${id} is an example of the catalog, expected a new text`,
      { hint: isStrange ? "Add the workflow to the catalog, or correct the request." : "Remove the request." },
    );
  }
}

/**
 * Refuses other tests on routes drawn from a log: neither the draws nor the examples are requests as they come.
 * @throws {SluiceError} CALIBRATION_INVALID
 */
function requireOwnTest(split: Split, choices: FitChoices): void {
  if (split.disjoint_by === drawnSplit && choices.drawn_routes === undefined) {
    throw new SluiceError(
      "CALIBRATION_INVALID",
      "the run has routes drawn from a log and examples that were chosen, expected requests as they come",
      { hint: say`Test the routes by the plan of the labelling: ${command`sluice run`}` },
    );
  }
}

/**
 * Number of this calibration among those on the same labels. A fit with the options and scored records of an earlier one
 * gets the same number, because it does not test the labels again (for example, only the catalog's version changed).
 */
function attemptOfFit({ history }: Session, { sha256, document }: Stored<Run>, input: FitInput): number {
  const split = readSplit(history, document.split_sha256).document;
  const isTested = isTestedIn(split);
  const rows = readDataset(history, document.dataset_sha256).document.filter(isTested);
  const tested = testedRows(history);
  if (tested.length === 0) return 1;
  const identityOf = identitiesOfFits(history, new Map([[sha256, input.records]]));
  return attemptOf(tested, rows, {
    population: input.claim === "fixed-catalog" ? "this_catalog" : "new_workflows",
    identity: identityOf({ digests: input.digests, fit: plannedOptions(input) }),
    identityOf,
  });
}

/** Fits a calibration and adds advice on claims that are not certified. Saves nothing. */
export async function fitWithAdvice(context: PlanContext, split: Split, input: FitInput): Promise<Calibration> {
  const learned = learn(input);
  const fitted = fitCalibration(input, learned);
  const { rows } = testedRequests(learned, fitted.fit);
  const warnings = [...fitted.warnings, ...historyWarnings(split, { rows, calibration: fitted })];
  const step = await nextStepOf(context, learned, fitted);
  return { ...fitted, warnings, ...(step === null ? {} : { next_step: step }) };
}

function declinedBy({ certified_workflows }: Calibration, { workflows }: Catalog): readonly string[] {
  if (certified_workflows === null) return [];
  const certified = new Set(certified_workflows);
  const ids = workflows.map(({ workflow_id: workflowId }) => workflowId).filter((id) => !certified.has(id));
  return ids.sort();
}

function otherClaimsOf(input: FitInput): OtherClaims {
  const claim = input.claim === "fixed-catalog" ? "new-workflows" : "fixed-catalog";
  try {
    const { claims } = fitCalibration({ ...input, claim });
    return { claim, sentences: claims.map(statementOf) };
  } catch (thrown) {
    if (thrown instanceof SluiceError) return { claim, sentences: [`not possible: ${thrown.message}.`] };
    throw thrown;
  }
}

/** Number of simulated calibrations for the advice. */
const samples = 100;

/** What the next target needs; null if the planned one is signed, or no amount of data would help. */
async function nextStepOf(
  context: PlanContext,
  learned: Learned,
  { claims, fit }: Calibration,
): Promise<NextStep | null> {
  const overall = claims.find(({ scope }) => scope === "overall");
  if (fit.drawn_routes !== undefined) return null;
  if (overall === undefined || overall.reason === "RISK_RISES_WITH_SCORE") return null;
  if (overall.certified && overall.target_risk <= fit.target_risk) return null;
  return withPlanProgress(context, nextStepWork(samples), (afterSample) =>
    planNextStep({ fit, tested: testedRequests(learned, fit), samples, seed: defaultPlanSeed, afterSample }),
  );
}
