import { counted } from "../../src/documents/number-text.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { foldRequests } from "../fold-requests.js";
import { defaultProcedure, type FamilyChoice, procedureOf, withFamily } from "../procedure.js";
import {
  type CalibrationPlan,
  likely,
  type MissingData,
  plannedTargets,
  type PlannedClaim,
  type PlannedTarget,
  type StoppedByIneligible,
  type Unroutable,
} from "../../src/documents/calibration-plan.js";
import type { ClaimKind } from "../../src/documents/choices.js";
import type { FitOptions } from "../../src/documents/calibration.js";
import type { PlanInput } from "./plan-input.js";
import { planPopulation, type PlanPopulation } from "./draw-sample.js";
import { claimSizes } from "./plan-sizes.js";
import { searchMissing, searchWork, type SimulatedTarget, type Simulation, simulateTargets } from "./search-missing.js";
import type { ReasonCode } from "../../src/documents/decision.js";
import { groupBy } from "../../src/base/group-by.js";
import { decide } from "../../src/router/policy/decide.js";
import { type OpenGates, permissiveThresholds, type RoutableRow } from "../routable.js";
import type { CalibratorCurve, CalibratorFamily } from "../../src/documents/calibrator.js";
import { SluiceError } from "../../src/base/error.js";
import { aurc } from "../../eval/stats/risk-coverage.js";
import { scoreTable } from "../../eval/stats/roc.js";
import { type CrossFitOptions, crossFit, type Learned, claimRows } from "../cross-fit.js";

/** Minimum number of labelled workflows for statements about other workflows. */
const fewestWorkflows = 10;
/** Minimum number of labelled requests for statements about other requests. */
const fewestRequests = 40;

/** Maximum number of simulated certifications of a plan, for a progress bar. */
export const planWork = ({
  claims,
  samples,
  search = true,
}: Pick<PlanInput, "claims" | "samples" | "search">): number =>
  claims.length * (samples + (search ? 2 * plannedTargets.length * searchWork(samples) : 0));

/** Whether the folds of a split share workflows. */
const sharesWorkflows = ({ split }: PlanInput): boolean => ["request", "role", "left-out"].includes(split.disjoint_by);

/** The procedure of the planned calibration. */
function procedureFor(
  claim: ClaimKind,
  { targets, delta, calibrator, cross_fit, out_of_scope_share, start_errors, start_icc, attemptOf }: PlanInput,
): FitOptions {
  // A shift per workflow helps only if each part contains all workflows.
  const family = calibrator === "catalog-features" && claim === "new-workflows" ? null : calibrator;
  const attempt = attemptOf?.(claim) ?? null;
  const target_risk = Math.min(...targets);
  const test = { claim, target_risk, delta, attempt, start_errors, start_icc, out_of_scope_share };
  return procedureOf({ ...test, cross_fit, calibrator: family });
}

const isTested = ({ cross_fit: parts = defaultProcedure.cross_fit }: PlanInput): boolean => parts > 1;

/** The labelled requests that a plan may read, sorted by id. */
function readRecords({ records, withFit = false }: PlanInput): readonly ScoredRecord[] {
  return records
    .filter(({ fold, error_code: errorCode }) => errorCode === null && (fold === "tune" || (withFit && fold === "fit")))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Workflows that would have evidence under the claim "fixed-catalog", according to the split. */
function testedWorkflows(input: PlanInput): readonly WorkflowId[] | null {
  if (sharesWorkflows(input)) return null;
  const { tune, certify, fit } = input.split.folds;
  const prefix = "workflow:";
  return [...(input.withFit === true ? fit.clusters : []), ...tune.clusters, ...certify.clusters]
    .filter((cluster) => cluster.startsWith(prefix))
    .map((cluster) => cluster.slice(prefix.length) as WorkflowId)
    .sort((a, b) => (a < b ? -1 : 1));
}

function scorerOf(
  { cross_fit = defaultProcedure.cross_fit, out_of_scope_share }: PlanInput,
  records: readonly ScoredRecord[],
) {
  return labelScorer(records, { parts: Math.max(2, cross_fit), outOfScopeShare: out_of_scope_share ?? undefined });
}

function scoreFor(claim: ClaimKind, input: PlanInput, score: LabelScorer): ScoredLabels | null {
  const certified = claim === "fixed-catalog" ? testedWorkflows(input) : null;
  return score(procedureFor(claim, input), certified);
}

/** Why a claim cannot be planned yet, and what to do about it. */
function whyUnknown(claim: ClaimKind, records: readonly ScoredRecord[], labels: ScoredLabels | null): string | null {
  const requests = records.length;
  const workflows = new Set(records.flatMap(({ workflow_id: workflowId }) => workflowId ?? [])).size;
  if (requests === 0) {
    return (
      "A plan reads requests of TUNE, and this split has none there. Fit directly: " +
      "looser targets are tested before the planned one."
    );
  }
  if (requests < fewestRequests) {
    return (
      `TUNE has ${counted(requests, "labelled request")}; a plan needs at least ${fewestRequests}. Label ` +
      `${fewestRequests - requests} more, or give TUNE a larger share of the split.`
    );
  }
  if (claim === "new-workflows" && workflows < fewestWorkflows) {
    return (
      `TUNE has ${counted(workflows, "workflow")}; a plan about new workflows needs at least ${fewestWorkflows}. ` +
      "Claim this catalog, or collect requests for more workflows."
    );
  }
  if (labels === null) return "No calibrator can be fitted on TUNE. Label more requests, right and wrong ones.";
  if (labels.rows.length === 0) return "No request of TUNE can be routed. The metrics of the run show why.";
  return null;
}

/** What a target is missing if no search is made. */
const unsearched = ({ probability }: SimulatedTarget): MissingData => ({
  kind: probability >= likely ? "nothing" : "not_known",
});

/** Minimum share of the requests that an advised target must route. */
const worthwhile = 0.1;

/**
 * The strictest target that is likely to certify and routes enough requests; otherwise the strictest that is likely to
 * certify.
 */
export function advisedTarget(targets: readonly Omit<PlannedTarget, "missing">[]): number | null {
  const certifies = targets.filter(({ probability }) => probability >= likely);
  const best = certifies.find(({ coverage }) => (coverage ?? 0) >= worthwhile) ?? certifies[0];
  return best?.target ?? null;
}

function simulationOf(claim: ClaimKind, input: PlanInput, population: PlanPopulation): Simulation {
  return {
    population,
    fit: procedureFor(claim, input),
    targets: input.targets.toSorted((a, b) => a - b),
    samples: input.samples,
    seed: input.seed,
    afterSample: input.afterSample,
  };
}

/** The labelled requests of a plan and their calibrator. */
interface Labelled {
  readonly records: readonly ScoredRecord[];
  readonly score: LabelScorer;
}

function readLabelled(input: PlanInput): Labelled {
  const records = readRecords(input);
  return { records, score: scorerOf(input, records) };
}

async function planClaim(claim: ClaimKind, input: PlanInput, { records, score }: Labelled): Promise<PlannedClaim> {
  const labels = scoreFor(claim, input, score);
  const population = planPopulation({
    rows: labels?.rows ?? [],
    requests: foldRequests(records),
  });
  const byRequest = sharesWorkflows(input);
  const tuneCertifies = isTested(input) && input.withFit !== true;
  const sizes = claimSizes(claim, { population, folds: input.split.folds, byRequest, tuneCertifies });
  const needed = claim === "fixed-catalog" ? "request" : "workflow";
  const planned = {
    claim,
    population: claim === "fixed-catalog" ? "this_catalog" : "new_workflows",
    present: sizes.present,
    needs_split: byRequest === (needed === "request") ? null : needed,
  } as const;
  const unknown = whyUnknown(claim, records, labels);
  if (unknown !== null) return { ...planned, unknown, targets: [], advised: null };
  const simulation = simulationOf(claim, input, population);
  const now = await simulateTargets(simulation, sizes.sampleOf({ inScope: 1, outOfScope: 1 }));
  const outOfScopeAlone = input.out_of_scope_share !== undefined && population.outOfScope.length > 0;
  const targets =
    input.search === false
      ? now.map((one) => ({ ...one, missing: unsearched(one) }))
      : await searchMissing({ simulation, sizes, outOfScopeAlone }, now);
  return { ...planned, unknown, targets, advised: advisedTarget(targets) };
}

async function planEach(input: PlanInput, labelled: Labelled): Promise<readonly PlannedClaim[]> {
  const claims: PlannedClaim[] = [];
  for (const claim of input.claims) claims.push(await planClaim(claim, input, labelled));
  return claims;
}

/** Only the claims of `planClaims`, for choosing a target. */
export const plannedClaims = (input: PlanInput): Promise<readonly PlannedClaim[]> =>
  planEach(input, readLabelled(input));

/**
 * Predicts what the data can support before anything is certified: for each claim and target, the probability that it
 * certifies, the share it would route, and the missing data. Simulates the certification rule on requests drawn
 * from labelled ones; labels of CERTIFY and EVAL are not read. Deterministic and independent of record order.
 */
export async function planClaims(input: PlanInput): Promise<CalibrationPlan> {
  const labelled = readLabelled(input);
  const { records } = labelled;
  const claims = await planEach(input, labelled);
  const labels = scoreFor("new-workflows", input, labelled.score);
  const gates =
    labels === null
      ? null
      : { calibrator: labels.calibrator, min_retrieval_score: labels.min_retrieval_score, certified_workflows: null };
  const outOfScope = records.filter(({ workflow_id: workflowId }) => workflowId === null).length;
  return {
    schema_version: 1,
    delta: input.delta,
    seed: input.seed,
    samples: input.samples,
    labelled: {
      workflows: new Set(records.flatMap(({ workflow_id: workflowId }) => workflowId ?? [])).size,
      requests: records.length,
      out_of_scope: outOfScope,
      wrong: labels?.rows.filter(({ error }) => error).length ?? 0,
    },
    claims,
    unroutable: gates === null ? [] : unroutableRequests(records, gates),
    ineligible_competitors: gates === null ? null : stoppedByIneligible(records, gates),
    notes: planNotes(input),
  };
}

/** With fewer out-of-scope requests than this, a claim has little evidence about them. */
const fewOutOfScope = 30;

/** Limitations of the data that readers of a plan should know. */
function planNotes({ split, out_of_scope_share }: PlanInput): readonly string[] {
  const { tune, certify } = split.folds;
  const outOfScope = tune.out_of_scope + certify.out_of_scope;
  const notes: string[] = [];
  if (outOfScope === 0) {
    notes.push(
      "TUNE and CERTIFY have no out-of-scope request: a claim then holds only where every request fits a workflow. " +
        `Add about ${fewOutOfScope} that fit none.`,
    );
  } else if (outOfScope < fewOutOfScope) {
    notes.push(
      `TUNE and CERTIFY have only ${outOfScope} out-of-scope requests, so the share that is routed is known only roughly. ` +
        `About ${fewOutOfScope - outOfScope} more would be enough.`,
    );
  }
  if (out_of_scope_share !== undefined && outOfScope === 0) {
    notes.push("A share of out-of-scope requests is declared, and there is none to measure it on: nothing certifies.");
  }
  return notes;
}

/** Minimum share of requests stopped by forbidden candidates that a plan reports. */
const notable = 0.1;

function reasonOf(record: ScoredRecord, gates: OpenGates): ReasonCode | null {
  if (record.early_reason !== null) return record.early_reason;
  const { decision, reason_code: reasonCode } = decide(record, permissiveThresholds(gates));
  return decision === "ROUTE" ? null : reasonCode;
}

/** Counts of the requests that no threshold would route, by reason; most frequent first. */
function unroutableRequests(records: readonly ScoredRecord[], gates: OpenGates): readonly Unroutable[] {
  const reasons = records
    .filter(({ error_code: errorCode }) => errorCode === null)
    .flatMap((record) => reasonOf(record, gates) ?? []);
  return [...groupBy(reasons, (reason) => reason)]
    .map(([reason, found]) => ({ reason, requests: found.length }))
    .sort((a, b) => b.requests - a.requests || (a.reason < b.reason ? -1 : 1));
}

/**
 * Requests stopped because the caller may not use their best match. Without ineligible competitors their best allowed
 * candidate would decide; its error rate is the risk of disabling ineligible competitors.
 */
function stoppedByIneligible(records: readonly ScoredRecord[], gates: OpenGates): StoppedByIneligible | null {
  const stopped = records.filter(
    (record) => record.error_code === null && reasonOf(record, gates) === "BETTER_MATCH_NOT_ALLOWED",
  );
  if (stopped.length === 0 || stopped.length < notable * records.length) return null;
  const without = stopped.map((record) => {
    const candidates = record.candidates.filter(({ eligible }) => eligible);
    const { decision, workflow_id: workflowId } = decide({ ...record, candidates }, permissiveThresholds(gates));
    return decision === "ROUTE" ? { wrong: workflowId !== record.workflow_id } : null;
  });
  const judged = without.filter((one) => one !== null);
  return {
    requests: stopped.length,
    of: records.length,
    judged: judged.length,
    wrong: judged.filter(({ wrong }) => wrong).length,
  };
}

/** Labelled requests, scored as certification would score them. */
interface ScoredLabels {
  readonly rows: readonly RoutableRow[];
  readonly calibrator: CalibratorCurve;
  readonly min_retrieval_score: number;
}

/** Fallback family: its two parameters can be fitted on few labels. */
const fallback: CalibratorFamily = "platt";

type FittedLabels = Learned | null;

function tryCrossFit(
  records: readonly ScoredRecord[],
  choice: FamilyChoice,
  options: Omit<CrossFitOptions, "family">,
): FittedLabels {
  try {
    return withFamily(choice, (family) => crossFit(records, { ...options, family }));
  } catch (thrown) {
    if (thrown instanceof SluiceError && thrown.code === "FIT_FAILED") return null;
    throw thrown;
  }
}

/** Area under the risk-coverage curve; smaller means a better ranking. */
function disorder({ rows }: ScoredLabels): number {
  const confidences = rows.map(({ confidence }) => confidence);
  const right = rows.map(({ error }) => !error);
  return aurc(scoreTable(confidences, right)).value ?? 1;
}

/** Scores the labelled requests for one claim; null if no calibrator can be fitted. */
type LabelScorer = (procedure: FamilyChoice, certifiedWorkflows: readonly WorkflowId[] | null) => ScoredLabels | null;

/**
 * Scores labelled requests; no confidence depends on its own label. Certification fits its calibrator on more requests
 * than a plan has, so if the family of the procedure ranks the few labels worse than the two-parameter fallback, the fallback
 * is used. Each family is fitted only once.
 */
function labelScorer(records: readonly ScoredRecord[], options: Omit<CrossFitOptions, "family">): LabelScorer {
  const fits = new Map<string, FittedLabels>();
  const fitOf = ({ claim, cross_fit, calibrator }: FamilyChoice): FittedLabels => {
    const choice = { claim, cross_fit, calibrator };
    const name = JSON.stringify(choice);
    const fitted = fits.get(name) ?? tryCrossFit(records, choice, options);
    fits.set(name, fitted);
    return fitted;
  };
  return (procedure, certifiedWorkflows) => {
    const [first, second] = [procedure, { ...procedure, calibrator: fallback }]
      .map(fitOf)
      .filter((fitted) => fitted !== null)
      .map(
        (fitted): ScoredLabels => ({
          ...fitted,
          rows: claimRows(fitted, { certified_workflows: certifiedWorkflows }),
        }),
      );
    if (first === undefined) return null;
    return second !== undefined && disorder(second) < disorder(first) ? second : first;
  };
}
