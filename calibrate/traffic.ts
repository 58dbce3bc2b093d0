import type { CalibratorCurve } from "../src/documents/calibrator.js";
import type { MixPoint, Traffic } from "../src/documents/calibration.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { type DecisionThresholds, decide } from "../src/router/policy/decide.js";
import type { ClusterCount } from "../eval/stats/design-effect.js";
import { type EffectiveRate, effectiveRate, mixedUpper, type MixRates } from "./claims/weighted-mix.js";

/** A request that the tests of a fit count, and the calibrator that tests it: fitted without this request. */
export interface TestedRecord {
  readonly record: ScoredRecord;
  readonly calibrator: CalibratorCurve;
}

/** Shares of out-of-scope requests for which every calibration lists the false-route rate. */
const sensitivityShares = [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6] as const;

interface Outcome {
  readonly cluster: string;
  readonly routed: boolean;
  readonly wrong: boolean;
}

function outcomesOf(tested: readonly TestedRecord[], thresholds: DecisionThresholds): readonly Outcome[] {
  return tested.map(({ record, calibrator }) => {
    const { cluster, workflow_id: workflowId, early_reason: earlyReason } = record;
    const decision = earlyReason === null ? decide(record, { ...thresholds, calibrator }) : null;
    const routed = decision?.decision === "ROUTE";
    const wrong = routed && decision.workflow_id !== workflowId;
    return { cluster, routed, wrong };
  });
}

function rateBy(outcomes: readonly Outcome[], happened: (outcome: Outcome) => boolean): EffectiveRate {
  const counts = new Map<string, { trials: number; events: number }>();
  for (const outcome of outcomes) {
    const count = counts.get(outcome.cluster) ?? { trials: 0, events: 0 };
    count.trials += 1;
    if (happened(outcome)) count.events += 1;
    counts.set(outcome.cluster, count);
  }
  return effectiveRate([...counts.values()] satisfies readonly ClusterCount[]);
}

const estimateOf = ({ events, trials }: EffectiveRate): number | null => (trials === 0 ? null : events / trials);

/** One-sided upper limit at delta. */
function mixPoint(rates: MixRates, share: number, delta: number): MixPoint {
  const outsideRouted = share === 0 ? 0 : estimateOf(rates.outOfScopeRouted);
  const insideRouted = estimateOf(rates.inScopeRouted);
  const insideWrong = estimateOf(rates.inScopeWrong);
  const known = outsideRouted !== null && insideRouted !== null && insideWrong !== null;
  const coverage = known ? share * outsideRouted + (1 - share) * insideRouted : null;
  const wrong = known ? share * outsideRouted + (1 - share) * insideWrong : null;
  const routes = coverage !== null && coverage > 0;
  return {
    out_of_scope_share: share,
    coverage,
    false_route_rate: !routes || wrong === null ? null : wrong / coverage,
    upper_bound: routes ? mixedUpper(rates, share, delta) : null,
  };
}

/** Expected traffic. */
export interface TrafficInput {
  readonly outOfScopeShare: number;
  readonly declared: boolean;
  /** Error probability of each limit, in (0, 1). */
  readonly delta: number;
}

/**
 * The false-route rate of the final thresholds, re-weighted to the expected traffic and to traffic with 1% to 60%
 * out-of-scope requests. Limits are Clopper-Pearson limits on effective counts, combined by a union bound. Each row
 * holds on its own, not jointly with the others.
 */
export function trafficOf(
  tested: readonly TestedRecord[],
  thresholds: DecisionThresholds,
  { outOfScopeShare, declared, delta }: TrafficInput,
): Traffic {
  const outcomes = outcomesOf(tested, thresholds);
  const inScope = outcomes.filter((_, i) => tested[i]?.record.workflow_id !== null);
  const outOfScope = outcomes.filter((_, i) => tested[i]?.record.workflow_id === null);
  const rates = {
    outOfScopeRouted: rateBy(outOfScope, ({ routed }) => routed),
    inScopeWrong: rateBy(inScope, ({ wrong }) => wrong),
    inScopeRouted: rateBy(inScope, ({ routed }) => routed),
  };
  const narrowed = tested.filter(({ record }) => record.narrowed === true).length;
  return {
    declared,
    ...(narrowed === 0 ? {} : { narrowed }),
    expected: mixPoint(rates, outOfScopeShare, delta),
    sensitivity: sensitivityShares.map((share) => mixPoint(rates, share, delta)),
  };
}
