/**
 * The rule that certifies thresholds, from top to bottom. See docs/adr/0015 for its settings.
 *
 * path   100 quantiles of the confidence, in thousandths, falling. One dimension, one path for all tiers, no label
 * read. start  the first step with enough independent requests to allow 3 errors, if it routes at most half of the
 * requests; otherwise the one for 1 error, otherwise for none; otherwise the first with enough for none, whatever it routes. Settled
 * before labels are read: the design effect is that of a correlation that was given beforehand. test   one fixed
 * sequence, each step at the whole delta: targets looser than the planned one, loosest first, each at the first step that
 * routes 60 % of the routable requests; then the planned target from its start, step by step. The first failure stops.
 * The steps before it all hold together with probability 1 - delta (Learn then Test, Angelopoulos et al.,
 * arXiv 2110.01052; fixed sequence). The last target that passed is signed.
 *
 * What is tested at a step depends on the claim; the test for new workflows stands here, the others in `claims/`.
 */
import type { TestStep } from "../src/documents/calibration.js";
import { pEff, passes, roundUp12 } from "./stats/binomial-test.js";
import { clopperPearsonUpper } from "../src/base/numbers/clopper-pearson.js";
import { type ClusterCount, iccDesignEffect } from "../eval/stats/design-effect.js";
import { minimumSampleSize } from "./stats/minimum-sample-size.js";
import {
  type ClaimReading,
  clustersOf,
  type EvidenceRow,
  type RiskTest,
  type RoutedCounts,
  type ThresholdStepTest,
} from "./claim-reading.js";
import { routedDesignEffect } from "./intra-cluster-correlation.js";

const thresholdSteps = 100;
/** Confidences are compared with multiples of 1 / 1000. */
const thousandths = 1000;

/** Errors that the first tested step should allow: with none, one early error stops everything. */
export const defaultStartErrors: readonly number[] = [3, 1, 0];
/** Targets that are tested before a stricter planned one. */
export const defaultLooserTargets: readonly number[] = [0.5, 0.3, 0.2, 0.15, 0.1, 0.05, 0.02];
/** Share of the routable requests that the threshold of a looser target routes. */
export const defaultLooserShare = 0.6;
/** Correlation of errors inside a workflow that the start assumes, before any label is read. */
export const defaultStartIcc = 0.1;

/** Largest threshold, in thousandths, that a confidence reaches. */
function thresholdBelow(confidence: number): number {
  const index = Math.min(thousandths, Math.floor(confidence * thousandths) + 1);
  return (index / thousandths <= confidence ? index : index - 1) / thousandths;
}

/** Thresholds in the order in which they are tested, strictest first: the k-th routes at least k percent of the rows. */
export function thresholdPath(confidences: readonly number[]): readonly number[] {
  const descending = Float64Array.from(confidences).sort().reverse();
  const path: number[] = [];
  for (let thresholdStep = 1; thresholdStep <= thresholdSteps; thresholdStep += 1) {
    const reached = descending[Math.ceil((thresholdStep / thresholdSteps) * descending.length) - 1];
    if (reached === undefined) break;
    const threshold = thresholdBelow(reached);
    if (threshold !== path.at(-1)) path.push(threshold);
  }
  return path;
}

/** Correlations used by the claim for new workflows. */
export interface Correlation {
  /** Correlation in the tested requests: the larger of this scope's and all tiers'. */
  readonly icc: number;
  /** Assumed at the start. */
  readonly startIcc: number;
  /** Always-wrong workflows that are added to the rate, by target. Default `unseenWorkflows`. */
  readonly unseen?: (target: number) => number;
}

/**
 * Workflows that are always wrong and happen to be missing from the tested ones: 1 to 3 % of them break a strict claim
 * about new workflows although no test sees one. Part of a workflow of mean routed size is added to the rate: one up to
 * 5 %, less for looser targets, which so few cannot break. Settled in simulated worlds: see docs/adr/0042.
 */
export const unseenWorkflows = (target: number): number => Math.min(1, 0.05 / target);

/**
 * The test for new workflows. Requests of one workflow are alike, so `routed` of them count as `routed / design
 * effect` independent ones, and the exact binomial test is made on those. Even so, W workflows cannot give more
 * evidence than W independent draws without an error: the p-value is at least (1 - target)^W. That floor holds even
 * where a few workflows are always wrong, whatever the score. Out-of-scope groups do not count for it: each routed one is
 * an error, and none says anything about workflows. To the rate, `unseen` workflows without a right route are added.
 */
export function newWorkflows({ icc, startIcc, unseen = unseenWorkflows }: Correlation): ClaimReading {
  return (counts) => {
    const designEffect = routedDesignEffect(counts, icc);
    const workflows = counts.inScope.length;
    const size = meanSize(counts.inScope);
    const planned = counts.routed / iccDesignEffect([...counts.inScope, ...counts.outOfScope], startIcc);
    return {
      design_effect: designEffect,
      planned,
      added: (target) => {
        const requests = unseen(target) * size;
        return requests === 0 ? 0 : (requests / (counts.routed + requests)) * planned;
      },
      judge: ({ target, delta }) => {
        const added = unseen(target) * size;
        const [errors, routed] = [counts.errors + added, counts.routed + added];
        const n = counts.routed / designEffect;
        const x = routed === 0 ? 0 : (errors / routed) * n;
        return {
          pValue: Math.max(pEff(errors, routed, n, target), workflowFloor(workflows, target)),
          upperBound: Math.max(clopperPearsonUpper(x, n, delta), smallestTarget(workflows, delta)),
        };
      },
    };
  };
}

/** Mean routed requests of the workflows with any; 0 without one. */
export const meanSize = (counts: readonly ClusterCount[]): number =>
  counts.length === 0 ? 0 : counts.reduce((sum, { trials }) => sum + trials, 0) / counts.length;

/** Smallest p-value that this number of workflows can give. */
export const workflowFloor = (workflows: number, target: number): number => (1 - target) ** workflows;

/** Smallest target that this number of workflows can support, without an error. */
export const smallestTarget = (workflows: number, delta: number): number =>
  workflows === 0 ? 1 : 1 - delta ** (1 / workflows);

/** A step with its counts under one claim. */
export interface ThresholdStep extends ThresholdStepTest {
  readonly confidence: number;
  readonly routed: number;
  readonly errors: number;
  /** Workflows and out-of-scope groups with a routed request. */
  readonly workflows: number;
  /** Those of them that are workflows. */
  readonly inScopeWorkflows: number;
}

/** The steps of a path, counted over the tested requests of a claim. */
export function countThresholdSteps(
  path: readonly number[],
  rows: readonly EvidenceRow[],
  read: ClaimReading,
): readonly ThresholdStep[] {
  return alongPath(path, rows, (counts: RoutedCounts, confidence) => ({
    confidence,
    routed: counts.routed,
    errors: counts.errors,
    workflows: clustersOf(counts),
    inScopeWorkflows: counts.inScope.length,
    ...read(counts),
  }));
}

/** Result of testing a sequence. */
export interface TestedPath {
  /** The first step for the planned target and the errors it was chosen to allow; null: no step has enough requests. */
  readonly start: { readonly index: number; readonly errors: number } | null;
  /** Tested steps in their order. */
  readonly trace: readonly TestStep[];
  /** The steps that passed for the last target that passed: all of them hold together. */
  readonly certified: readonly TestStep[];
}

/** The target of a step. */
export const targetOf = (step: Pick<TestStep, "target_risk">, { target }: Pick<RiskTest, "target">): number =>
  step.target_risk ?? target;

/**
 * Largest share of the requests that a start may route: a start that routes most of them tests little more than the
 * whole set.
 */
const largestStart = 0.5;

/** How a start is chosen. */
export interface StartChoice {
  /** Errors that the first tested step should allow, with fallbacks. Default 3, 1, 0. */
  readonly initialAllowedErrors?: readonly number[];
  /** The start also needs enough workflows. Default false. */
  readonly byWorkflow?: boolean;
  /** Looser targets to test before the planned one. Default: none. */
  readonly looser?: LooserTargets;
}

export interface LooserTargets {
  /** Each in (0, 1); those above the planned target are tested, falling. */
  readonly targets: readonly number[];
  /** Share of the routable requests that their threshold routes, in (0, 1]. */
  readonly share: number;
}

/** Whether the workflows of all tested requests could support a target: known before labels are read. */
export const hasEnoughWorkflows = (path: readonly ThresholdStep[], { target, delta }: RiskTest): boolean =>
  passes(workflowFloor(path.at(-1)?.inScopeWorkflows ?? 0, target), delta);

/** The first step to test; the share that it routes says which of `startErrors` it allows. Null: too few requests. */
export function startOf(path: readonly ThresholdStep[], test: RiskTest, choice: StartChoice = {}): TestedPath["start"] {
  const { initialAllowedErrors = defaultStartErrors, byWorkflow = false } = choice;
  const most = largestStart * (path.at(-1)?.routed ?? 0);
  if (byWorkflow && !hasEnoughWorkflows(path, test)) return null;
  const starts = initialAllowedErrors.flatMap((errors) => {
    const isEnough = enoughFor(test, errors);
    const index = path.findIndex(
      (thresholdStep) =>
        isEnough(thresholdStep) &&
        (!byWorkflow || passes(workflowFloor(thresholdStep.workflows, test.target), test.delta)),
    );
    return index < 0 ? [] : [{ index, errors }];
  });
  return starts.find(({ index }) => (path[index]?.routed ?? 0) <= most) ?? starts.at(-1) ?? null;
}

/** Whether a step has enough effective requests to pass with so many errors. */
function enoughFor({ target, delta }: RiskTest, errors: number): (thresholdStep: ThresholdStep) => boolean {
  const needed = minimumSampleSize(target, delta, errors);
  return ({ planned, added }) => {
    const more = added?.(target) ?? 0;
    return planned >= needed && (more === 0 || passes(pEff(errors + more, planned, planned, target), delta));
  };
}

/** @throws {SluiceError} STATS_DOMAIN  unless target and delta are in (0, 1) */
export function testThresholdStep(thresholdStep: ThresholdStep, test: RiskTest): TestStep {
  const { confidence, routed, errors, workflows, design_effect: designEffect } = thresholdStep;
  const { pValue, upperBound } = thresholdStep.judge(test);
  return {
    confidence,
    routed,
    errors,
    workflows,
    design_effect: designEffect,
    effective_routed: routed / designEffect,
    p_value: pValue === null ? null : Math.min(1, roundUp12(pValue)),
    upper_bound: Math.min(1, roundUp12(upperBound)),
    passed: pValue === null ? passes(upperBound, test.target) : passes(pValue, test.delta),
  };
}

/** Steps of the sequence before the planned target: those that enough requests for no error could pass. */
export function looserSteps(
  path: readonly ThresholdStep[],
  test: RiskTest,
  { looser, byWorkflow = false }: StartChoice,
): readonly { readonly thresholdStep: ThresholdStep; readonly target: number }[] {
  const needed = (looser?.share ?? 1) * (path.at(-1)?.routed ?? 0);
  const thresholdStep = path.find(({ routed }) => routed >= needed);
  if (looser === undefined || thresholdStep === undefined) return [];
  const targets = [...new Set(looser.targets)].filter((target) => target > test.target).sort((a, b) => b - a);
  return targets
    .filter(
      (target) =>
        enoughFor({ ...test, target }, 0)(thresholdStep) &&
        (!byWorkflow || hasEnoughWorkflows(path, { ...test, target })),
    )
    .map((target) => ({ thresholdStep, target }));
}

/**
 * Tests "the risk is above the target" step by step, and stops at the first that it cannot exclude: the looser targets of
 * the choice, then the planned one along its path.
 * @param path  steps in path order, strictest first
 */
export function certifyPath(path: readonly ThresholdStep[], test: RiskTest, choice: StartChoice = {}): TestedPath {
  const start = startOf(path, test, choice);
  const trace: TestStep[] = [];
  for (const { thresholdStep, target } of looserSteps(path, test, choice)) {
    const step = { ...testThresholdStep(thresholdStep, { ...test, target }), target_risk: target };
    trace.push(step);
    if (!step.passed) return { start, trace, certified: trace.filter(({ passed }) => passed).slice(-1) };
  }
  if (start === null) return { start, trace, certified: trace.slice(-1) };
  const planned = testUntilFailure(path.slice(start.index), test);
  return {
    start,
    trace: [...trace, ...planned.trace],
    certified: planned.certified.length > 0 ? planned.certified : trace.slice(-1),
  };
}

/**
 * Conformal risk control along a path: the loosest step up to which every bound is at most the target. A bound holds on
 * average over calibrations and has no confidence level; the joint risk only rises along a path, so that looking at
 * several steps needs no correction.
 */
export function controlExpectedRisk(path: readonly ThresholdStep[], target: number): TestedPath {
  return { start: { index: 0, errors: 0 }, ...testUntilFailure(path, { target, delta: 1 }) };
}

function testUntilFailure(path: readonly ThresholdStep[], test: RiskTest): Pick<TestedPath, "trace" | "certified"> {
  const trace: TestStep[] = [];
  for (const thresholdStep of path) {
    const step = testThresholdStep(thresholdStep, test);
    trace.push(step);
    if (!step.passed) break;
  }
  return { trace, certified: trace.filter((step) => step.passed) };
}

/** Number of thresholds, from the strict end, that do not route the row. */
function firstReached(path: readonly number[], row: EvidenceRow): number {
  let [low, high] = [0, path.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (row.confidence >= path[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Row numbers in the order of the thresholds at which they are first routed; rows that none routes are left out. */
function rowsByPoint(path: readonly number[], rows: readonly EvidenceRow[]) {
  const reached = Int32Array.from(rows, (row) => firstReached(path, row));
  const ends = new Int32Array(path.length + 1);
  for (const point of reached) ends[point] += 1;
  for (let point = 1; point < ends.length; point += 1) ends[point] += ends[point - 1];
  const order = new Int32Array(rows.length);
  const next = ends.slice();
  for (let i = rows.length - 1; i >= 0; i -= 1) {
    const point = reached[i];
    next[point] -= 1;
    order[next[point]] = i;
  }
  return { order, ends };
}

const noRequests: ClusterCount = { trials: 0, events: 0 };

/**
 * Measures each threshold of a path, in its order, in one pass over the rows: along a path only requests are added.
 *
 * @param path  thresholds, falling
 * @param measure  called with the counts at a threshold; they are not valid after it returns
 */
function alongPath<T>(
  path: readonly number[],
  rows: readonly EvidenceRow[],
  measure: (counts: RoutedCounts, threshold: number) => T,
): readonly T[] {
  const clusters = new Map<string, number>();
  const clusterOf = Int32Array.from(rows, ({ cluster }) => {
    const index = clusters.get(cluster) ?? clusters.size;
    clusters.set(cluster, index);
    return index;
  });
  const [trials, events] = [new Int32Array(clusters.size), new Int32Array(clusters.size)];
  const isOutOfScope = new Uint8Array(clusters.size);
  for (const [i, row] of rows.entries()) if (row.outOfScope) isOutOfScope[clusterOf[i]] = 1;

  const countOf = (cluster: number): ClusterCount => ({
    trials: trials[cluster],
    events: events[cluster],
  });
  const countsWhere = (outOfScope: number): readonly ClusterCount[] => {
    const counts: ClusterCount[] = [];
    for (let cluster = 0; cluster < trials.length; cluster += 1) {
      if (isOutOfScope[cluster] === outOfScope && trials[cluster] > 0) counts.push(countOf(cluster));
    }
    return counts;
  };
  const of = (name: string): ClusterCount => {
    const cluster = clusters.get(name);
    return cluster === undefined ? noRequests : countOf(cluster);
  };

  const { order, ends } = rowsByPoint(path, rows);
  let [routed, errors] = [0, 0];
  return path.map((threshold, index) => {
    for (; routed < ends[index]; routed += 1) {
      const i = order[routed];
      const cluster = clusterOf[i];
      trials[cluster] += 1;
      if (rows[i]?.error !== true) continue;
      events[cluster] += 1;
      errors += 1;
    }
    return measure({ inScope: countsWhere(0), outOfScope: countsWhere(1), routed, errors, of }, threshold);
  });
}
