import type { WorkflowId } from "../../src/domain/primitives.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { countedRecords } from "../counted-records.js";
import { foldRequests } from "../fold-requests.js";
import { defaultCrossFit } from "../fit-options.js";
import { defaultStartErrors, defaultStartIcc, noLooserTargets } from "../rule.js";
import {
  type CalibrationPlan,
  likely,
  type MissingEvidence,
  type PlannedClaim,
  type PlannedClaimKind,
  type PlannedTarget,
} from "./calibration-plan.js";
import type { PlanInput } from "./plan-input.js";
import { planNotes } from "./plan-notes.js";
import { planPopulation, type PlanPopulation } from "./plan-population.js";
import { claimSizes } from "./plan-sizes.js";
import { type LabelScorer, labelScorer, type ScoredLabels } from "./score-labelled.js";
import { searchMissing, searchWork } from "./search-missing.js";
import { type SimulatedTarget, type Simulation, simulateTargets } from "./simulate-targets.js";
import { stoppedBySentinels, unroutableRequests } from "./unroutable.js";

/** Minimum number of labelled workflows for statements about others. */
const fewestWorkflows = 10;
/** Minimum number of labelled requests for statements about others. */
const fewestRequests = 40;

/** Maximum number of simulated certifications of a plan, for progress. */
export const planWork = ({ claims, samples, search = true }: PlanInput): number =>
  claims.length * (samples + (search ? searchWork() : 0));

/** Whether the folds of a split share workflows. */
const sharesWorkflows = ({ split }: PlanInput): boolean => ["request", "role", "left-out"].includes(split.disjoint_by);

const isTested = ({ crossFit = defaultCrossFit }: PlanInput): boolean => crossFit > 1;

/** The labelled requests that a plan may read, by id. */
function readRecords({ records, withFit = false }: PlanInput): readonly ScoredRecord[] {
  return records
    .filter(({ fold, errorCode }) => errorCode === null && (fold === "tune" || (withFit && fold === "fit")))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Workflows that would have evidence under the claim about this catalog, as named by the split. */
function testedWorkflows(input: PlanInput): readonly WorkflowId[] | null {
  if (sharesWorkflows(input)) return null;
  const { tune, certify, fit } = input.split.folds;
  const prefix = "workflow:";
  return [...(input.withFit === true ? fit.clusters : []), ...tune.clusters, ...certify.clusters]
    .filter((cluster) => cluster.startsWith(prefix))
    .map((cluster) => cluster.slice(prefix.length) as WorkflowId)
    .sort((a, b) => (a < b ? -1 : 1));
}

function scorerOf({ crossFit = defaultCrossFit, outOfScopeShare }: PlanInput, records: readonly ScoredRecord[]) {
  return labelScorer(records, { parts: Math.max(2, crossFit), outOfScopeShare });
}

function scoreFor(claim: PlannedClaimKind, input: PlanInput, score: LabelScorer): ScoredLabels | null {
  // A shift per workflow helps only where each part contains all workflows.
  const family = input.calibrator === "catalog-evidence" && claim === "new-workflows" ? undefined : input.calibrator;
  return score(family, claim === "fixed-catalog" ? testedWorkflows(input) : null, claim);
}

/** Why a claim cannot be planned, and what to do first. */
function whyUnknown(
  claim: PlannedClaimKind,
  records: readonly ScoredRecord[],
  labels: ScoredLabels | null,
): string | null {
  const requests = records.length;
  const workflows = new Set(records.flatMap(({ workflowId }) => workflowId ?? [])).size;
  if (requests < fewestRequests) {
    return (
      `TUNE has ${requests} labelled requests; a plan needs at least ${fewestRequests}. Label ` +
      `${fewestRequests - requests} more, or give TUNE a larger share of the split.`
    );
  }
  if (claim === "new-workflows" && workflows < fewestWorkflows) {
    return (
      `TUNE has ${workflows} workflows; a plan about new workflows needs at least ${fewestWorkflows}. ` +
      "Claim this catalog, or collect requests to more workflows."
    );
  }
  if (labels === null) return "No calibrator can be fitted on TUNE. Label more requests, right and wrong ones.";
  if (labels.rows.length === 0) return "No request of TUNE can be routed. See why with `sluice eval show`.";
  return null;
}

/** What a target is missing, without a search. */
const unsearched = ({ probability }: SimulatedTarget): MissingEvidence => ({
  kind: probability >= likely ? "nothing" : "not_known",
});

/** An advised target routes at least this share of the requests. */
const worthwhile = 0.1;

/** The strictest target that is likely to certify and to route enough; else the strictest that is likely to certify. */
export function advisedTarget(targets: readonly Omit<PlannedTarget, "missing">[]): number | null {
  const certifies = targets.filter(({ probability }) => probability >= likely);
  const best = certifies.find(({ coverage }) => (coverage ?? 0) >= worthwhile) ?? certifies[0];
  return best?.target ?? null;
}

function simulationOf(claim: PlannedClaimKind, input: PlanInput, population: PlanPopulation): Simulation {
  return {
    population,
    certification: {
      claim,
      target: input.targets[0] ?? likely,
      requiredTiers: {},
      delta: input.delta,
      startErrors: input.startErrors ?? defaultStartErrors,
      startIcc: input.startIcc ?? defaultStartIcc,
      looser: noLooserTargets,
      leftOut: false,
      declaredShare: input.outOfScopeShare ?? null,
    },
    targets: input.targets.toSorted((a, b) => a - b),
    samples: input.samples,
    seed: input.seed,
    afterSample: input.afterSample,
  };
}

/** The labelled requests of a plan, and their calibrator. */
interface Labelled {
  readonly records: readonly ScoredRecord[];
  readonly score: LabelScorer;
}

function readLabelled(input: PlanInput): Labelled {
  const records = readRecords(input);
  return { records, score: scorerOf(input, records) };
}

async function planClaim(
  claim: PlannedClaimKind,
  input: PlanInput,
  { records, score }: Labelled,
): Promise<PlannedClaim> {
  const labels = scoreFor(claim, input, score);
  const population = planPopulation({
    rows: labels?.rows ?? [],
    requests: foldRequests(countedRecords(records, claim)),
  });
  const byRequest = sharesWorkflows(input);
  const tuneCertifies = isTested(input) && input.withFit !== true;
  const sizes = claimSizes(claim, { population, folds: input.split.folds, byRequest, tuneCertifies });
  const needed = claim === "fixed-catalog" ? "request" : "workflow";
  const planned = {
    claim,
    population: claim === "fixed-catalog" ? "this_catalog" : "new_workflows",
    present: sizes.present,
    needsSplit: byRequest === (needed === "request") ? null : needed,
  } as const;
  const unknown = whyUnknown(claim, records, labels);
  if (unknown !== null) return { ...planned, unknown, targets: [], advised: null };
  const simulation = simulationOf(claim, input, population);
  const now = await simulateTargets(simulation, sizes.sampleOf({ inScope: 1, outOfScope: 1 }));
  const outOfScopeAlone = input.outOfScopeShare !== undefined && population.outOfScope.length > 0;
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

/** The claims of `planClaims` alone, for choosing a target. */
export const plannedClaims = (input: PlanInput): Promise<readonly PlannedClaim[]> =>
  planEach(input, readLabelled(input));

/**
 * What the data can promise, before anything is certified: for each claim and target the probability that it certifies,
 * what it would route, and what is missing. Everything is simulated with the rule that certifies, on requests drawn from
 * labelled ones; labels of CERTIFY and EVAL are not read. Deterministic, and independent of the order of the records.
 */
export async function planClaims(input: PlanInput): Promise<CalibrationPlan> {
  const labelled = readLabelled(input);
  const { records } = labelled;
  const claims = await planEach(input, labelled);
  const labels = scoreFor("new-workflows", input, labelled.score);
  const gates = labels === null ? null : { ...labels, certifiedWorkflows: null };
  const outOfScope = records.filter(({ workflowId }) => workflowId === null).length;
  return {
    schemaVersion: 1,
    delta: input.delta,
    seed: input.seed,
    samples: input.samples,
    labelled: {
      workflows: new Set(records.flatMap(({ workflowId }) => workflowId ?? [])).size,
      requests: records.length,
      outOfScope,
      wrong: labels?.rows.filter(({ error }) => error).length ?? 0,
    },
    claims,
    unroutable: gates === null ? [] : unroutableRequests(records, gates),
    sentinels: gates === null ? null : stoppedBySentinels(records, gates),
    notes: planNotes(records, input),
  };
}
