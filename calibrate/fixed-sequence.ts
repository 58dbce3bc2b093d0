import type { TestStep } from "../src/domain/calibration.js";
import { passes, pEff, roundUp12 } from "../src/stats/binomial-test.js";
import { clopperPearsonUpper } from "../src/stats/clopper-pearson.js";
import { minimumSampleSize } from "../src/stats/minimum-sample-size.js";
import type { PointEvidence } from "./point-evidence.js";

/** One test: the risk to exclude and the share of the failure probability that it may use. */
export interface RiskTest {
  /** Target risk, in (0, 1). */
  readonly target: number;
  /** Probability of a wrong certificate, in (0, 1). */
  readonly delta: number;
}

/**
 * Errors that the first tested point should be able to carry. With none, one early error stops everything; with more,
 * a small fold starts where the risk is higher already. 1 certified the most tiers in docs/adr/0005.
 */
export const defaultStartErrors: readonly number[] = [1];

export interface FixedSequence {
  /** The first tested point and the errors it was chosen to allow; null when no point has enough requests. */
  readonly start: { readonly index: number; readonly errors: number } | null;
  /** Tested points in path order; only the last one can have failed. */
  readonly trace: readonly TestStep[];
  /** The points of the trace that passed: all of them hold together. */
  readonly certified: readonly TestStep[];
}

/** First point with enough requests for the first of `startErrors` that any point has enough for. */
function startOf(
  evidence: readonly PointEvidence[],
  test: RiskTest,
  startErrors: readonly number[],
): FixedSequence["start"] {
  for (const errors of startErrors) {
    const needed = minimumSampleSize(test.target, test.delta, errors);
    const index = evidence.findIndex((point) => point.plannedEffective >= needed);
    if (index >= 0) return { index, errors };
  }
  return null;
}

function testPoint(point: PointEvidence, test: RiskTest): TestStep {
  const { confidence, margin, routed, errors, workflows, designEffect, effectiveRouted } = point;
  const pValue = pEff(errors, routed, effectiveRouted, test.target);
  const effectiveErrors = routed === 0 ? 0 : (errors / routed) * effectiveRouted;
  const upperBound = clopperPearsonUpper(effectiveErrors, effectiveRouted, test.delta);
  return {
    confidence,
    margin,
    routed,
    errors,
    workflows,
    designEffect,
    effectiveRouted,
    pValue: Math.min(1, roundUp12(pValue)),
    upperBound: Math.min(1, roundUp12(upperBound)),
    passed: passes(pValue, test.delta),
  };
}

/**
 * Fixed-sequence test of "the risk is above the target" along a path that was fixed before the CERTIFY labels were seen
 * (Learn then Test; Angelopoulos et al., arXiv 2110.01052). Each point is tested at the whole delta with the exact
 * binomial test on effective counts; the first failure stops. The chance of any wrong certificate is at most delta as
 * far as the effective counts describe the clustering.
 *
 * The start is the first point whose number of routed requests, deflated by the design effect of the TUNE fold, allows
 * `startErrors` errors. Neither counts nor TUNE look at CERTIFY labels. A fold that is too small for the first entry of
 * `startErrors` falls back to the next entry, e.g. [3, 1, 0]; the default [1] does not fall back.
 *
 * @param evidence  points in path order, strictest first
 */
export function fixedSequence(
  evidence: readonly PointEvidence[],
  test: RiskTest,
  startErrors: readonly number[] = defaultStartErrors,
): FixedSequence {
  const start = startOf(evidence, test, startErrors);
  if (start === null) return { start, trace: [], certified: [] };
  const trace: TestStep[] = [];
  for (const point of evidence.slice(start.index)) {
    const step = testPoint(point, test);
    trace.push(step);
    if (!step.passed) break;
  }
  return { start, trace, certified: trace.filter((step) => step.passed) };
}
