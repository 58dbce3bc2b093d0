/**
 * The rule that certifies thresholds, from top to bottom. See docs/adr/0015 for its settings.
 *
 * path   100 quantiles of the confidence, in thousandths, falling. One dimension, one path for all tiers, no label
 * read. start  the first rung with enough independent requests to allow 3 errors, if it routes at most half of the
 * requests; else the one for 1 error, else for none; else the first with enough for none, whatever it routes. Settled
 * before labels are read: the design effect is that of a correlation that was given beforehand. test   from the
 * start, each rung at the whole delta; the first failure stops. The rungs before it all hold together with
 * probability 1 - delta (Learn then Test, Angelopoulos et al., arXiv 2110.01052; fixed sequence).
 *
 * What is tested at a rung depends on the claim; the test for new workflows stands here, the others in `claims/`.
 */
import type { TestStep } from "../src/domain/calibration.js";
import { pEff, passes, roundUp12 } from "./stats/binomial-test.js";
import { clopperPearsonUpper } from "../src/stats/clopper-pearson.js";
import { iccDesignEffect } from "../eval/stats/design-effect.js";
import { minimumSampleSize } from "./stats/minimum-sample-size.js";
import { alongPath } from "./along-path.js";
import {
  type ClaimReading,
  clustersOf,
  type EvidenceRow,
  type RiskTest,
  type RoutedCounts,
  type RungReading,
} from "./claim-reading.js";
import { routedDesignEffect } from "./intra-cluster-correlation.js";

const rungs = 100;
/** Confidences are compared with multiples of 1 / 1000. */
const thousandths = 1000;

/** Errors that the first tested rung should allow: with none, one early error stops everything. */
export const defaultStartErrors: readonly number[] = [3, 1, 0];
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
  for (let rung = 1; rung <= rungs; rung += 1) {
    const reached = descending[Math.ceil((rung / rungs) * descending.length) - 1];
    if (reached === undefined) break;
    const threshold = thresholdBelow(reached);
    if (threshold !== path.at(-1)) path.push(threshold);
  }
  return path;
}

/** Correlations used by the claim for new workflows. */
export interface Correlation {
  /** Of the tested requests: the larger of the scope's own and that of all tiers. */
  readonly icc: number;
  /** Assumed at the start. */
  readonly startIcc: number;
}

/**
 * The test for new workflows. Requests of one workflow are alike, so `routed` of them count as `routed / design
 * effect` independent ones, and the exact binomial test is made on those. Even so, W workflows cannot give more
 * evidence than W independent draws without an error: the p-value is at least (1 - target)^W. That floor holds even
 * where a few workflows are always wrong, whatever the score.
 */
export function newWorkflows({ icc, startIcc }: Correlation): ClaimReading {
  return (counts) => {
    const designEffect = routedDesignEffect(counts, icc);
    return {
      designEffect,
      planned: counts.routed / iccDesignEffect([...counts.inScope, ...counts.outOfScope], startIcc),
      judge: ({ target, delta }) => {
        const n = counts.routed / designEffect;
        const x = counts.routed === 0 ? 0 : (counts.errors / counts.routed) * n;
        return {
          pValue: Math.max(pEff(counts.errors, counts.routed, n, target), workflowFloor(clustersOf(counts), target)),
          upperBound: Math.max(clopperPearsonUpper(x, n, delta), smallestTarget(clustersOf(counts), delta)),
        };
      },
    };
  };
}

/** Smallest p-value that this number of workflows and groups can give. */
export const workflowFloor = (workflows: number, target: number): number => (1 - target) ** workflows;

/** Smallest target that this number of workflows and groups can support, without an error. */
export const smallestTarget = (workflows: number, delta: number): number =>
  workflows === 0 ? 1 : 1 - delta ** (1 / workflows);

/** A rung with its counts under one claim. */
export interface Rung extends RungReading {
  readonly confidence: number;
  readonly routed: number;
  readonly errors: number;
  readonly workflows: number;
}

/** The rungs of a path, counted over the tested requests of a claim. */
export function countRungs(path: readonly number[], rows: readonly EvidenceRow[], read: ClaimReading): readonly Rung[] {
  return alongPath(path, rows, (counts: RoutedCounts, confidence) => ({
    confidence,
    routed: counts.routed,
    errors: counts.errors,
    workflows: clustersOf(counts),
    ...read(counts),
  }));
}

/** Result of testing a path. */
export interface TestedPath {
  /** The first tested rung and the errors it was chosen to allow; null when no rung has enough requests. */
  readonly start: { readonly index: number; readonly errors: number } | null;
  /** Tested rungs in path order. */
  readonly trace: readonly TestStep[];
  /** The rungs of the trace that passed: all of them hold together. */
  readonly certified: readonly TestStep[];
}

/**
 * Largest share of the requests that a start may route: a start that routes most of them tests little more than the
 * whole set.
 */
const largestStart = 0.5;

/** How a start is chosen. */
export interface StartChoice {
  /** Errors that the first tested rung should allow, with fallbacks. Default 3, 1, 0. */
  readonly startErrors?: readonly number[];
  /** The start also needs enough workflows. Default false. */
  readonly byWorkflow?: boolean;
}

/** The first rung to test; the share that it routes says which of `startErrors` it allows. Null: too few requests. */
export function startOf(path: readonly Rung[], test: RiskTest, choice: StartChoice = {}): TestedPath["start"] {
  const { startErrors = defaultStartErrors, byWorkflow = false } = choice;
  const most = largestStart * (path.at(-1)?.routed ?? 0);
  const starts = startErrors.flatMap((errors) => {
    const needed = minimumSampleSize(test.target, test.delta, errors);
    const index = path.findIndex(
      ({ planned, workflows }) =>
        planned >= needed && (!byWorkflow || passes(workflowFloor(workflows, test.target), test.delta)),
    );
    return index < 0 ? [] : [{ index, errors }];
  });
  return starts.find(({ index }) => (path[index]?.routed ?? 0) <= most) ?? starts.at(-1) ?? null;
}

/** @throws {SluiceError} STATS_DOMAIN  unless target and delta are in (0, 1) */
export function testRung(rung: Rung, test: RiskTest): TestStep {
  const { confidence, routed, errors, workflows, designEffect } = rung;
  const { pValue, upperBound } = rung.judge(test);
  return {
    confidence,
    routed,
    errors,
    workflows,
    designEffect,
    effectiveRouted: routed / designEffect,
    pValue: pValue === null ? null : Math.min(1, roundUp12(pValue)),
    upperBound: Math.min(1, roundUp12(upperBound)),
    passed: pValue === null ? passes(upperBound, test.target) : passes(pValue, test.delta),
  };
}

/**
 * Tests "the risk is above the target" rung by rung, and stops at the first that it cannot exclude.
 * @param path  rungs in path order, strictest first
 */
export function certifyPath(path: readonly Rung[], test: RiskTest, choice: StartChoice = {}): TestedPath {
  const start = startOf(path, test, choice);
  if (start === null) return { start, trace: [], certified: [] };
  return { start, ...testUntilFailure(path.slice(start.index), test) };
}

/**
 * Conformal risk control along a path: the loosest rung up to which every bound is at most the target. A bound holds on
 * average over calibrations and has no confidence level; the joint risk only rises along a path, so that looking at
 * several rungs needs no correction.
 */
export function controlExpectedRisk(path: readonly Rung[], target: number): TestedPath {
  return { start: { index: 0, errors: 0 }, ...testUntilFailure(path, { target, delta: 1 }) };
}

function testUntilFailure(path: readonly Rung[], test: RiskTest): Pick<TestedPath, "trace" | "certified"> {
  const trace: TestStep[] = [];
  for (const rung of path) {
    const step = testRung(rung, test);
    trace.push(step);
    if (!step.passed) break;
  }
  return { trace, certified: trace.filter((step) => step.passed) };
}
