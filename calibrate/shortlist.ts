/**
 * The rule that certifies shortlists.
 *
 * A shortlist is empty if the confidence of the first candidate is below the entry. Otherwise it contains at most five
 * workflows: those whose odds relative to the first candidate reach a share. It misses an in-scope request if the right
 * workflow is not listed. The entry is learned on requests that the test does not count. For a fixed entry, misses
 * never decrease with the share, so the sequence of shares gives nested sets.
 *
 * The test is one fixed sequence with each step at the full delta: targets looser than 5%, loosest first, at one share
 * that was fixed beforehand; then 5% from share 0 upwards. The first failure stops the test. The last target that
 * passed is signed with the largest share that passed for it (Learn then Test, arXiv 2110.01052; for nested sets also
 * RCPS, arXiv 2101.02703).
 */
import type { FitOptions, ShortlistCalibration, TestStep } from "../src/documents/calibration.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { relativeCandidates, type ShortlistGates } from "../src/router/policy/shortlist.js";
import { thinned } from "./calibrators/calibration-row.js";
import { readAsFixedCatalog } from "./claims/fixed-catalog.js";
import type { RiskTest } from "./claim-reading.js";
import { FamilyTally } from "./family-tally.js";
import { levelOf } from "./procedure.js";
import type { ClusterCount } from "../eval/stats/design-effect.js";
import { boundedIcc } from "./intra-cluster-correlation.js";
import { relativesOf, type RoutableRow } from "./routable.js";
import {
  certifyPath,
  hasEnoughWorkflows,
  looserSteps,
  newWorkflows,
  type ThresholdStep,
  type StartChoice,
  targetOf,
  testThresholdStep,
  type TestedPath,
} from "./fixed-sequence-test.js";
import { passes, pExact } from "./stats/binomial-test.js";
import {
  counted,
  formatCount,
  formatFixedPercentUp,
  formatPercent,
  formatTenthsPercent,
} from "../src/documents/number-text.js";
import { confidenceText } from "./claim-sentence.js";

type Facts = Omit<ShortlistCalibration, "sentence">;

const meanOf = (sum: number, count: number): string => (sum / Math.max(1, count)).toFixed(2);

function measuredOn({ population, requests, workflows }: Facts, leftOut: boolean): string {
  if (population === "new_workflows") {
    return `on ${counted(requests, "request")} to ${counted(workflows, "workflow")} it had never seen`;
  }
  const to = `to ${counted(workflows, "workflow")}`;
  if (!leftOut) return `on ${counted(requests, "new request")} ${to} of the catalog`;
  return `on ${counted(requests, "labelled request")} ${to}, each tested with its near-copies left out of the examples`;
}

function emptyText({ out_of_scope, out_of_scope_empty }: Facts): string {
  if (out_of_scope === 0) return "";
  return `, and is empty for ${formatCount(out_of_scope_empty)} of ${counted(out_of_scope, "out-of-scope request")}`;
}

/** Explains what is missing if no shortlist is certified. */
function notCertified(facts: Facts): string {
  const { reason, requests, workflows, missed, reachable, size, trace } = facts;
  if (reason === "RISK_NOT_CERTIFIED") {
    return (
      `No shortlist is given: the first tested one would miss the right workflow for ${formatCount(missed)} of ${counted(requests, "request")}, with an ` +
      `upper limit of ${formatFixedPercentUp(trace[0]?.upper_bound ?? 1)}. The right one is among the first ${size} candidates for ${formatCount(reachable)} of them.`
    );
  }
  return (
    `No shortlist is given: ${counted(requests, "in-scope request")} to ${counted(workflows, "workflow")} are too few to ` +
    "certify one."
  );
}

/** Explains that the candidates put the planned target out of reach, if they do. */
function limitText({ planned_miss, requests, reachable, size }: Facts): string {
  if (requests - reachable <= planned_miss * requests) return "";
  return (
    ` A list of ${size} cannot meet the target of ${formatPercent(planned_miss)} here: the right workflow is among the first ${size} candidates for ` +
    `only ${formatTenthsPercent(reachable / requests)} of the requests.`
  );
}

/** The sentence that is printed and signed for shortlists, certified or not. */
function shortlistSentence(facts: Facts, { left_out, attempt }: Pick<FitOptions, "left_out" | "attempt">): string {
  if (!facts.certified) return notCertified(facts);
  const { target_miss, delta, requests, missed, listed, size } = facts;
  return (
    `Of the requests in scope, at most ${formatPercent(target_miss)} get a shortlist without the right workflow ` +
    `(${confidenceText(delta, attempt)}). Measured ${measuredOn(facts, left_out)}: ` +
    `${formatCount(missed)} missed of ${formatCount(requests)}. A shortlist has ${meanOf(listed, requests)} workflows on average, ` +
    `at most ${size}${emptyText(facts)}.${limitText(facts)}`
  );
}

/** Planned target: maximum share of in-scope requests whose shortlist misses the right workflow. */
export const plannedMiss = 0.05;
/** Maximum number of workflows in a shortlist. */
export const largestShortlist = 5;
/** Looser targets that are tested before the planned one, independent of the claim about routes. */
const looserTargets: readonly number[] = [0.5, 0.3, 0.2, 0.15, 0.1];
/** Share at which looser targets are tested: a fiftieth of the odds of the first candidate. */
const looserShare = 0.02;
/** Parts of the planned target that an entry may use up. The first is the default if no part lets the target pass. */
const entryParts: readonly number[] = [0.2, 0, 0.4, 0.6];

/** 0, then from .00105 to 1 in steps of one eighth (including .02), with three significant digits. */
const shares: readonly number[] = [
  0,
  ...Array.from({ length: 59 }, (_, i) => Number((looserShare * 1.125 ** (i - 25)).toPrecision(3))),
  1,
];

/** A tested request before thresholds are applied. */
export interface ListableRow extends Pick<RoutableRow, "cluster" | "family" | "nearCopy"> {
  readonly inScope: boolean;
  /** Confidence of the first candidate; null if nothing may be listed at any threshold. */
  readonly confidence: number | null;
  /** Relative odds of the workflows that may be listed, descending, at most `largestShortlist`. */
  readonly odds: readonly number[];
  /** Relative odds of the right workflow; null if it may not be listed. */
  readonly right: number | null;
  /** Whether the first candidate is not the right workflow. */
  readonly firstWrong: boolean;
}

const noOdds: readonly number[] = [];

/** What could be listed for each record, determined by the serving code. */
export function listableRows(records: readonly ScoredRecord[], gates: ShortlistGates): readonly ListableRow[] {
  return records.map((record) => listableRow(record, gates));
}

function listableRow(record: ScoredRecord, gates: ShortlistGates): ListableRow {
  const { cluster, workflow_id: workflowId, early_reason: earlyReason } = record;
  const kin = { cluster, ...relativesOf(record) };
  const inScope = workflowId !== null;
  const found = earlyReason === null ? relativeCandidates(record, gates) : null;
  if (found === null || found.refused !== null) {
    return { ...kin, inScope, confidence: null, odds: noOdds, right: null, firstWrong: true };
  }
  const { confidence, listable } = found;
  const odds: number[] = [];
  let right: number | null = null;
  for (const { candidate, relativeOdds } of listable) {
    if (odds.length === largestShortlist) break;
    odds.push(relativeOdds);
    if (candidate.workflow_id === workflowId) right = relativeOdds;
  }
  const firstWrong = listable[0]?.candidate.workflow_id !== workflowId;
  return { ...kin, inScope, confidence, odds, right, firstWrong };
}

/** Length of the shortlist of a request. */
function lengthOf({ confidence, odds }: ListableRow, entry: number, share: number): number {
  if (confidence === null || confidence < entry) return 0;
  let length = 0;
  for (const one of odds) if (one >= share) length += 1;
  return length;
}

const isMissed = ({ confidence, right }: ListableRow, entry: number, share: number): boolean =>
  confidence === null || confidence < entry || right === null || right < share;

function meanLength(rows: readonly ListableRow[], entry: number, share: number): number {
  let sum = 0;
  for (const row of rows) sum += lengthOf(row, entry, share);
  return rows.length === 0 ? 0 : sum / rows.length;
}

/** The largest share that misses at most `misses` of the requests; null: more are missed even at share 0. */
function largestShare(inScope: readonly ListableRow[], entry: number, misses: number): number | null {
  const reached = Float64Array.from(inScope, (row) => (isMissed(row, entry, 0) ? -1 : (row.right ?? 0))).sort();
  const share = reached[misses] ?? 0;
  return share < 0 ? null : share;
}

/**
 * Largest number of misses with which the planned target passes on this many independent requests; 0 if none passes.
 */
function allowedMisses(requests: number, delta: number): number {
  let misses = 0;
  while (misses < requests && passes(pExact(misses + 1, requests, plannedMiss), delta)) misses += 1;
  return misses;
}

/**
 * Learns the entry: a confidence that 0, 1, 2 or 3% of the in-scope requests do not reach. Of those whose misses are
 * few enough to pass, it is the one with the shortest lists (mean length in scope plus mean length out of scope).
 * Without out-of-scope requests it is the one for 1%, if that passes.
 *
 * @param rows  requests that the test does not count
 */
export function learnEntry(rows: readonly ListableRow[], delta: number): number {
  const inScope = rows.filter((row) => row.inScope);
  const outOfScope = rows.filter((row) => !row.inScope);
  const misses = allowedMisses(inScope.length, delta);
  const lengthWith = (entry: number): number => {
    const share = largestShare(inScope, entry, misses);
    if (share === null) return Number.POSITIVE_INFINITY;
    return outOfScope.length === 0 ? 0 : meanLength(inScope, entry, share) + meanLength(outOfScope, entry, share);
  };
  const parts = outOfScope.length === 0 ? entryParts.slice(0, 2) : entryParts;
  // Ascending: the index of a confidence is the number of in-scope requests that do not reach it.
  const rising = Float64Array.from(inScope, ({ confidence }) => confidence ?? 0).sort();
  const entries = parts.map((part) => rising[Math.floor(part * plannedMiss * rising.length)] ?? 0);
  return entries.reduce((best, entry) => (lengthWith(entry) < lengthWith(best) ? entry : best));
}

/** Maximum number of requests for learning an entry; more do not improve it. */
const mostLearned = 20_000;

/** Learns the entry on records, sorted by id, that the test does not count. */
export const entryOf = (records: readonly ScoredRecord[], gates: ShortlistGates, delta: number): number =>
  learnEntry(listableRows(thinned(records, mostLearned), gates), delta);

/** Tested requests of one part, with the entry of that part. */
export interface EnteredRows {
  readonly rows: readonly ListableRow[];
  readonly entry: number;
}

type ShortlistOptions = Pick<FitOptions, "claim" | "delta" | "attempt" | "start_icc" | "left_out">;

/** Tested in-scope requests, with their clusters. */
interface Reaches {
  /** Number of shares, from the first of the sequence, at which each request lists its right workflow. */
  readonly listedAt: Int32Array;
  /** Cluster index of each request. */
  readonly clusterOf: Int32Array;
  /** Cluster names; the cluster with the request that is missed at the smallest share comes first. */
  readonly clusters: readonly string[];
  readonly firstWrong: readonly ClusterCount[];
}

/** Number of shares of the sequence that a request reaches. */
function sharesReached(reach: number): number {
  let [low, high] = [0, shares.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (shares[middle] <= reach) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface ClusterReach {
  readonly name: string;
  lowest: number;
  /** Index of the first request with the lowest reach. */
  at: number;
  trials: number;
  events: number;
}

function reachesOf(parts: readonly EnteredRows[]): Reaches {
  const known = new Map<string, ClusterReach>();
  const members: ClusterReach[] = [];
  const listedAt: number[] = [];
  for (const { rows, entry } of parts) {
    for (const row of rows) {
      if (!row.inScope) continue;
      const reach = isMissed(row, entry, 0) ? -1 : (row.right ?? -1);
      const at = members.length;
      let cluster = known.get(row.cluster);
      if (cluster === undefined) {
        cluster = { name: row.cluster, lowest: reach, at, trials: 0, events: 0 };
        known.set(row.cluster, cluster);
      }
      cluster.trials += 1;
      if (row.firstWrong) cluster.events += 1;
      if (reach < cluster.lowest) [cluster.lowest, cluster.at] = [reach, at];
      members.push(cluster);
      listedAt.push(sharesReached(reach));
    }
  }
  const ordered = [...known.values()].sort((a, b) => a.lowest - b.lowest || a.at - b.at);
  const numbers = new Map(ordered.map((cluster, number) => [cluster, number]));
  return {
    listedAt: Int32Array.from(listedAt),
    clusterOf: Int32Array.from(members, (cluster) => numbers.get(cluster) ?? 0),
    clusters: ordered.map(({ name }) => name),
    firstWrong: ordered.map(({ trials, events }) => ({ trials, events })),
  };
}

/** Each share of the sequence, with its misses among all tested in-scope requests. */
function thresholdStepsOf(
  parts: readonly EnteredRows[],
  { claim, start_icc }: ShortlistOptions,
): readonly ThresholdStep[] {
  const { listedAt, clusterOf, clusters, firstWrong } = reachesOf(parts);
  const tested = parts.flatMap(({ rows }) => rows.filter((row) => row.inScope));
  const members = tested.map(({ family, nearCopy, cluster }) => ({
    family,
    nearCopy,
    cluster,
    outOfScope: false,
    error: false,
    confidence: 1,
  }));
  const read =
    claim === "fixed-catalog"
      ? readAsFixedCatalog(members, { inScope: new Map(), outOfScope: new Map() }, null)
      : newWorkflows({ icc: boundedIcc(firstWrong), startIcc: start_icc });
  const families = new FamilyTally(members);
  for (const [row] of members.entries()) families.add(row);
  const routed = listedAt.length;
  const workflows = clusters.length;
  const missedOf = new Int32Array(workflows);
  let errors = 0;
  return shares.map((share, place) => {
    for (let row = 0; row < routed; row += 1) {
      if (listedAt[row] !== place) continue;
      missedOf[clusterOf[row]] += 1;
      families.addError(row);
      errors += 1;
    }
    const inScope = firstWrong.map(({ trials }, number) => ({ trials, events: missedOf[number] }));
    const reading = read({ inScope, outOfScope: [], routed, errors, families });
    return { confidence: share, routed, errors, workflows, inScopeWorkflows: workflows, ...reading };
  });
}

/** Tests the sequence. @param path  ascending shares, so misses ascend too */
function testSequence(path: readonly ThresholdStep[], test: RiskTest, choice: StartChoice): Omit<TestedPath, "start"> {
  const trace: TestStep[] = [];
  const settled = path.filter(({ confidence }) => confidence >= looserShare);
  for (const { thresholdStep, target } of looserSteps(settled, test, choice)) {
    const step = { ...testThresholdStep(thresholdStep, { ...test, target }), target_risk: target };
    trace.push(step);
    if (!step.passed) return { trace, certified: trace.filter(({ passed }) => passed).slice(-1) };
  }
  const planned = certifyPath(path, test, { byWorkflow: choice.byWorkflow === true });
  const certified = planned.certified.length > 0 ? planned.certified : trace;
  return { trace: [...trace, ...planned.trace], certified: certified.slice(-1) };
}

/** @param test  the test, if the claim needs a minimum number of workflows; otherwise null */
function reasonOf(
  path: readonly ThresholdStep[],
  { certified, trace }: Omit<TestedPath, "start">,
  test: RiskTest | null,
): ShortlistCalibration["reason"] {
  if (certified.length > 0) return null;
  if ((path[0]?.routed ?? 0) === 0) return "NO_ACCEPTED_ROWS";
  if (trace.length > 0) return "RISK_NOT_CERTIFIED";
  return test === null || hasEnoughWorkflows(path, test) ? "TOO_FEW_ROUTED" : "TOO_FEW_WORKFLOWS";
}

/** Lengths of the shortlists of the tested requests; all empty without a share. */
function lengthsOf(parts: readonly EnteredRows[], share: number | null) {
  const found = { reachable: 0, listed: 0, empty: 0, out_of_scope: 0, out_of_scope_listed: 0, out_of_scope_empty: 0 };
  for (const { rows, entry } of parts) {
    for (const row of rows) {
      const length = share === null ? 0 : lengthOf(row, entry, share);
      const empty = length === 0 ? 1 : 0;
      if (row.inScope) {
        found.reachable += row.right === null ? 0 : 1;
        found.listed += length;
        found.empty += empty;
      } else {
        found.out_of_scope += 1;
        found.out_of_scope_listed += length;
        found.out_of_scope_empty += empty;
      }
    }
  }
  return found;
}

/**
 * The counts of the step that ships. If nothing is certified, those of the first tested step; without one, of the first.
 */
function countsOf(step: TestStep | null, { trace }: Pick<TestedPath, "trace">, path: readonly ThresholdStep[]) {
  const { routed, errors, workflows, design_effect } = step ?? trace[0] ?? (path[0] as ThresholdStep);
  return { requests: routed, missed: errors, workflows, effective_requests: routed / design_effect };
}

const traceOf = (trace: readonly TestStep[]): ShortlistCalibration["trace"] =>
  trace.map(({ confidence, routed, errors, p_value, upper_bound, passed, target_risk }) => ({
    share: confidence,
    requests: routed,
    missed: errors,
    p_value,
    upper_bound,
    passed,
    target_miss: target_risk ?? plannedMiss,
  }));

/** The thresholds that ship, and the limits that are signed for them. */
function signedOf(step: TestStep | null, entry: number) {
  if (step === null) return { target_miss: plannedMiss, certified: false, entry: null, share: null, upper_bound: null };
  const { confidence: share, upper_bound } = step;
  return { target_miss: targetOf(step, { target: plannedMiss }), certified: true, entry, share, upper_bound };
}

/**
 * Certifies shortlists. Often nothing can be certified; then every list is empty.
 *
 * @param parts  the requests that the claim counts; the entry of each part was learned without that part
 * @param entry  the entry that ships, learned on all parts
 */
export function certifyShortlist(
  parts: readonly EnteredRows[],
  entry: number,
  fit: ShortlistOptions,
): ShortlistCalibration {
  const { claim } = fit;
  const delta = levelOf(fit);
  const byWorkflow = claim !== "fixed-catalog";
  const test = { target: plannedMiss, delta };
  const path = thresholdStepsOf(parts, fit);
  const choice = { byWorkflow, looser: { targets: looserTargets, share: 1 } };
  const tested = testSequence(path, test, choice);
  const step = tested.certified.at(-1) ?? null;
  const facts = {
    population: byWorkflow ? ("new_workflows" as const) : ("this_catalog" as const),
    planned_miss: plannedMiss,
    delta,
    ...signedOf(step, entry),
    reason: reasonOf(path, tested, byWorkflow ? test : null),
    size: largestShortlist,
    ...countsOf(step, tested, path),
    ...lengthsOf(parts, step?.confidence ?? null),
    trace: traceOf(tested.trace),
  };
  return { ...facts, sentence: shortlistSentence(facts, fit) };
}
