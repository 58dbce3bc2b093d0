/**
 * The rule that certifies thresholds. See docs/adr/0015 for its settings.
 *
 * - Path: 100 quantiles of the confidence, rounded to thousandths, descending. All tiers share one path, which is built
 *   without reading labels.
 * - Start: the first step with enough independent requests to allow 3 errors, if it routes at most 60% of the
 *   requests; otherwise the one for 1 error, otherwise for none. If all of these route more, the first step
 *   with enough requests for no error. The start is fixed before labels are read, because the design effect assumes a
 *   given correlation.
 * - Test: one fixed sequence, each step at the full delta. Targets looser than the planned one come first, loosest
 *   first, each at the first step that routes 60% of the routable requests; then the planned target from its start,
 *   step by step. The first failure stops the test. All steps before it hold jointly with probability 1 - delta (Learn
 *   then Test, Angelopoulos et al., arXiv 2110.01052; fixed sequence). The last target that passed is signed.
 *
 * What is tested at a step depends on the claim. This file contains the test for new workflows; `claims/` has the rest.
 */
import type { TestStep } from "../src/documents/calibration.js";
import { pEff, passes, roundUp12, minimumSampleSize } from "./stats/binomial-test.js";
import { clopperPearsonUpper } from "../src/base/numbers/clopper-pearson.js";
import { type ClusterCount, iccDesignEffect } from "../eval/stats/design-effect.js";
import {
  type ClaimReading,
  clustersOf,
  type TestedRow,
  type RiskTest,
  type RoutedCounts,
  type ThresholdStepTest,
} from "./claim-reading.js";
import { FamilyTally } from "./family-tally.js";
import { defaultProcedure } from "./procedure.js";
import { routedDesignEffect } from "./intra-cluster-correlation.js";

const thresholdSteps = 100;
/** Thresholds are multiples of 1 / 1000. */
const thousandths = 1000;

/** Largest threshold, a multiple of 1 / 1000, that a confidence reaches. */
function thresholdBelow(confidence: number): number {
  const index = Math.min(thousandths, Math.floor(confidence * thousandths) + 1);
  return (index / thousandths <= confidence ? index : index - 1) / thousandths;
}

/**
 * Thresholds in the order in which they are tested, strictest first: the k-th routes at least k percent of the rows.
 */
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

/** Correlations used by the claim about new workflows. */
export interface Correlation {
  /** Correlation in the tested requests: the larger of the value for the claim's tiers and the value for all tiers. */
  readonly icc: number;
  /** Correlation assumed at the start. */
  readonly startIcc: number;
  /** Number of always-wrong workflows added to the rate, by target. Default `unseenWorkflows`. */
  readonly unseen?: (target: number) => number;
}

/**
 * Number of unseen, always-wrong workflows to add to the tested ones. If 1 to 3% of all workflows are always wrong, a
 * strict claim about new workflows fails although the tests may not see any of them. The result is multiplied by the
 * mean routed size of a workflow and added to the rate: 1.25 for targets up to 5%, down to 0.75 for looser targets, which
 * fewer workflows break. Determined by simulation; see docs/adr/0042.
 */
export const unseenWorkflows = (target: number): number => Math.max(0.75, Math.min(1.25, 0.0625 / target));

/**
 * The test of the claim about new workflows. Requests of one workflow are alike, so `routed` requests count as
 * `routed / design effect` independent requests in the exact binomial test. W workflows cannot give more evidence than W
 * independent draws without an error, so the p-value is at least (1 - target)^W. This floor holds even if a few
 * workflows are always wrong at every score. Out-of-scope groups do not count towards it: each routed out-of-scope
 * request is an error, and none is evidence about workflows. `unseen` always-wrong workflows are added to the rate.
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
      canPass: (errors, test) => {
        // Before labels are read, an out-of-scope group is like a workflow.
        const requests = unseen(test.target) * meanSize([...counts.inScope, ...counts.outOfScope]);
        const added = requests === 0 ? 0 : (requests / (counts.routed + requests)) * planned;
        return (
          canPassWith(planned, errors, test) && passes(pEff(errors + added, planned, planned, test.target), test.delta)
        );
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

/** Mean number of routed requests over the workflows that have any; 0 if none has. */
export const meanSize = (counts: readonly ClusterCount[]): number =>
  counts.length === 0 ? 0 : counts.reduce((sum, { trials }) => sum + trials, 0) / counts.length;

/** Smallest p-value that a number of workflows can give. */
export const workflowFloor = (workflows: number, target: number): number => (1 - target) ** workflows;

/** Smallest target that a number of workflows can support without an error. */
export const smallestTarget = (workflows: number, delta: number): number =>
  workflows === 0 ? 1 : 1 - delta ** (1 / workflows);

/** A step with its counts under one claim. */
export interface ThresholdStep extends ThresholdStepTest {
  readonly confidence: number;
  readonly routed: number;
  readonly errors: number;
  /** Number of workflows and out-of-scope groups with a routed request. */
  readonly workflows: number;
  /** Number of workflows with a routed request. */
  readonly inScopeWorkflows: number;
}

/** Counts the tested requests of a claim at every threshold of a path. */
export function countThresholdSteps(
  path: readonly number[],
  rows: readonly TestedRow[],
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
  /**
   * The first step for the planned target, and the number of errors it was chosen to allow; null: no step has enough
   * requests.
   */
  readonly start: { readonly index: number; readonly errors: number } | null;
  /** The tested steps, in order. */
  readonly trace: readonly TestStep[];
  /** The steps that passed for the last target that passed; they all hold jointly. */
  readonly certified: readonly TestStep[];
}

/** The target at which a step was tested. */
export const targetOf = (step: Pick<TestStep, "target_risk">, { target }: Pick<RiskTest, "target">): number =>
  step.target_risk ?? target;

/**
 * Largest share of the requests that the first tested step may route. A step that routes most requests hardly differs
 * from routing all of them.
 */
const largestStart = 0.6;

/** How the first tested step is chosen. */
export interface StartChoice {
  /** Numbers of errors that the first tested step should allow, in order of preference. Default 3, 1, 0. */
  readonly initialAllowedErrors?: readonly number[];
  /** Whether the first tested step also needs enough workflows. Default false. */
  readonly byWorkflow?: boolean;
  /** Looser targets to test before the planned one. Default: none. */
  readonly looser?: LooserTargets;
}

export interface LooserTargets {
  /** Targets in (0, 1). Those above the planned target are tested in descending order. */
  readonly targets: readonly number[];
  /** Share of the routable requests that the threshold of these targets routes, in (0, 1]. */
  readonly share: number;
}

/** Whether there are enough tested workflows to support a target; does not read labels. */
export const hasEnoughWorkflows = (path: readonly ThresholdStep[], { target, delta }: RiskTest): boolean =>
  passes(workflowFloor(path.at(-1)?.inScopeWorkflows ?? 0, target), delta);

/**
 * The first step to test and the number of errors it allows: the first allowed number whose step routes at most 60% of
 * the requests, otherwise the last one that is possible. null: too few requests or workflows.
 */
export function startOf(path: readonly ThresholdStep[], test: RiskTest, choice: StartChoice = {}): TestedPath["start"] {
  const { initialAllowedErrors = defaultProcedure.start_errors, byWorkflow = false } = choice;
  const most = largestStart * (path.at(-1)?.routed ?? 0);
  if (byWorkflow && !hasEnoughWorkflows(path, test)) return null;
  const starts = initialAllowedErrors.flatMap((errors) => {
    const index = path.findIndex(
      (thresholdStep) =>
        thresholdStep.canPass(errors, test) &&
        (!byWorkflow || passes(workflowFloor(thresholdStep.workflows, test.target), test.delta)),
    );
    return index < 0 ? [] : [{ index, errors }];
  });
  return starts.find(({ index }) => (path[index]?.routed ?? 0) <= most) ?? starts.at(-1) ?? null;
}

/** Whether so many effective requests can pass with this number of errors. */
export const canPassWith = (planned: number, errors: number, { target, delta }: RiskTest): boolean =>
  planned > errors && planned >= minimumSampleSize(target, delta, errors);

/** @throws {SluiceError} ARGUMENT_INVALID  unless target and delta are in (0, 1) */
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
    p_value: Math.min(1, roundUp12(pValue)),
    upper_bound: Math.min(1, roundUp12(upperBound)),
    passed: passes(pValue, test.delta),
  };
}

/** The steps tested before the planned target: one per looser target that could pass without an error. */
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
        thresholdStep.canPass(0, { ...test, target }) && (!byWorkflow || hasEnoughWorkflows(path, { ...test, target })),
    )
    .map((target) => ({ thresholdStep, target }));
}

/**
 * Tests the hypothesis "the risk is above the target" step by step and stops at the first step that cannot reject it:
 * first the looser targets, then the planned target along the path.
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

function testUntilFailure(path: readonly ThresholdStep[], test: RiskTest): Pick<TestedPath, "trace" | "certified"> {
  const trace: TestStep[] = [];
  for (const thresholdStep of path) {
    const step = testThresholdStep(thresholdStep, test);
    trace.push(step);
    if (!step.passed) break;
  }
  return { trace, certified: trace.filter((step) => step.passed) };
}

/** Number of thresholds, counted from the strict end, that do not route the row. */
function firstReached(path: readonly number[], row: TestedRow): number {
  let [low, high] = [0, path.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (row.confidence >= path[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Row indices, sorted by the threshold that first routes them. Rows that no threshold routes are left out. */
function rowsByPoint(path: readonly number[], rows: readonly TestedRow[]) {
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

/**
 * Measures each threshold of a path in order, in one pass over the rows: each threshold routes all rows of the previous
 * one.
 *
 * @param path  thresholds, descending
 * @param measure  called with the counts at a threshold, which are only valid during the call
 */
function alongPath<T>(
  path: readonly number[],
  rows: readonly TestedRow[],
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
  const { order, ends } = rowsByPoint(path, rows);
  const families = new FamilyTally(rows);
  let [routed, errors] = [0, 0];
  return path.map((threshold, index) => {
    for (; routed < ends[index]; routed += 1) {
      const i = order[routed];
      const cluster = clusterOf[i];
      trials[cluster] += 1;
      families.add(i);
      if (rows[i]?.error !== true) continue;
      families.addError(i);
      events[cluster] += 1;
      errors += 1;
    }
    return measure({ inScope: countsWhere(0), outOfScope: countsWhere(1), routed, errors, families }, threshold);
  });
}
