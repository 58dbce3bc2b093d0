import type { Procedure, TestStep } from "../src/domain/calibration.js";
import { pEff, passes, roundUp12 } from "../src/stats/binomial-test.js";
import { clopperPearsonUpper } from "../src/stats/clopper-pearson.js";
import { graphicalRejections, holm } from "../src/stats/family-wise.js";
import { minimumSampleSize } from "../src/stats/minimum-sample-size.js";
import type { Judgement, PointEvidence, RiskTest } from "./point-evidence.js";

/**
 * Errors that the first tested point should be able to carry. With none, one early error stops everything; with more,
 * a small fold starts where the risk is higher already. 1 certified the most tiers in docs/adr/0005.
 */
export const defaultStartErrors: readonly number[] = [1];

export interface FixedSequence {
  /** The first tested point and the errors it was chosen to allow; null when no point has enough requests. */
  readonly start: { readonly index: number; readonly errors: number } | null;
  /** Tested points in path order. */
  readonly trace: readonly TestStep[];
  /** The points of the trace that passed: all of them hold together. */
  readonly certified: readonly TestStep[];
}

const nothingTested: FixedSequence = { start: null, trace: [], certified: [] };

/** First point with enough independent units to allow so many errors; -1 when there is none. */
function firstThatAllows(errors: number, evidence: readonly PointEvidence[], test: RiskTest): number {
  const needed = minimumSampleSize(test.target, test.delta, errors);
  return evidence.findIndex((point) => point.plannedEffective >= needed);
}

/** First point with enough requests for the first of `startErrors` that any point has enough for. */
function startOf(
  evidence: readonly PointEvidence[],
  test: RiskTest,
  startErrors: readonly number[],
): FixedSequence["start"] {
  for (const errors of startErrors) {
    const index = firstThatAllows(errors, evidence, test);
    if (index >= 0) return { index, errors };
  }
  return null;
}

function judgedByCounts({ errors, routed, effectiveRouted }: PointEvidence, { target, delta }: RiskTest): Judgement {
  const effectiveErrors = routed === 0 ? 0 : (errors / routed) * effectiveRouted;
  return {
    pValue: pEff(errors, routed, effectiveRouted, target),
    upperBound: clopperPearsonUpper(effectiveErrors, effectiveRouted, delta),
  };
}

function testPoint(point: PointEvidence, test: RiskTest): TestStep {
  const { confidence, margin, routed, errors, workflows, designEffect, effectiveRouted } = point;
  const { pValue, upperBound } = point.judge === undefined ? judgedByCounts(point, test) : point.judge(test);
  return {
    confidence,
    margin,
    routed,
    errors,
    workflows,
    designEffect,
    effectiveRouted,
    pValue: pValue === null ? null : Math.min(1, roundUp12(pValue)),
    upperBound: Math.min(1, roundUp12(upperBound)),
    passed: pValue === null ? passes(upperBound, test.target) : passes(pValue, test.delta),
  };
}

/**
 * Fixed-sequence test of "the risk is above the target" along a path that was fixed before the CERTIFY labels were seen
 * (Learn then Test; Angelopoulos et al., arXiv 2110.01052). Each point is tested at the whole delta; the first failure
 * stops. The chance of any wrong certificate is at most delta as far as each single p-value is valid.
 *
 * The start is the first point whose number of independent units, as far as it is known without the labels of CERTIFY,
 * allows `startErrors` errors. A fold that is too small for the first entry of `startErrors` falls back to the next
 * entry, e.g. [3, 1, 0]; the default [1] does not fall back.
 *
 * @param evidence  points in path order, strictest first
 */
export function fixedSequence(
  evidence: readonly PointEvidence[],
  test: RiskTest,
  startErrors: readonly number[] = defaultStartErrors,
): FixedSequence {
  const start = startOf(evidence, test, startErrors);
  if (start === null) return nothingTested;
  const trace: TestStep[] = [];
  for (const point of evidence.slice(start.index)) {
    const step = testPoint(point, test);
    trace.push(step);
    if (!step.passed) break;
  }
  return { start, trace, certified: trace.filter((step) => step.passed) };
}

/** Errors that the starts of the graphical procedure allow: strict starts first. */
const graphStartErrors = [0, 1, 3, 8] as const;

/** Equal weights on the different starts; a rejected point leaves its level to the next looser one. */
function graphRejections(
  evidence: readonly PointEvidence[],
  pValues: readonly number[],
  test: RiskTest,
): readonly number[] {
  const starts = new Set(graphStartErrors.map((errors) => firstThatAllows(errors, evidence, test)));
  starts.delete(-1);
  const weights = evidence.map((_, index) => (starts.has(index) ? 1 / starts.size : 0));
  const transfer = evidence.map((_, i) => evidence.map((__, j) => (j === i + 1 ? 1 : 0)));
  return graphicalRejections(pValues, { weights, transfer }, test.delta);
}

/**
 * Tests the points of a path so that all certificates hold together with probability 1 - delta. `holm` looks at every
 * point and needs no order; `graph` splits delta over several starts; both certify less than the fixed sequence where
 * the path is good, and more where an early point fails.
 */
export function certifyPath(
  evidence: readonly PointEvidence[],
  test: RiskTest,
  options: { readonly procedure: Procedure; readonly startErrors: readonly number[] },
): FixedSequence {
  if (options.procedure === "fixed-sequence") return fixedSequence(evidence, test, options.startErrors);
  const start = startOf(evidence, test, options.startErrors);
  if (start === null) return nothingTested;
  const steps = evidence.map((point) => testPoint(point, test));
  const pValues = steps.map((step) => step.pValue ?? 1);
  const rejected = new Set(
    options.procedure === "holm" ? holm(pValues, test.delta) : graphRejections(evidence, pValues, test),
  );
  const trace = steps.map((step, index) => ({ ...step, passed: rejected.has(index) }));
  return { start, trace, certified: trace.filter((step) => step.passed) };
}

/**
 * Conformal risk control along a path: the loosest point up to which every bound is at most the target. A bound holds
 * in expectation and needs no correction for looking at several points, because the joint risk only rises along a path.
 */
export function controlExpectedRisk(evidence: readonly PointEvidence[], target: number): FixedSequence {
  const steps = evidence.map((point) => testPoint(point, { target, delta: 1 }));
  const failed = steps.findIndex((step) => !step.passed);
  const trace = failed === -1 ? steps : steps.slice(0, failed + 1);
  return { start: { index: 0, errors: 0 }, trace, certified: trace.filter((step) => step.passed) };
}
