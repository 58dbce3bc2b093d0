import type { FitOptions, MixPoint, Traffic } from "../src/documents/calibration.js";
import { type RiskTier, riskTiers } from "../src/documents/choices.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { type DecisionThresholds, decide } from "../src/router/policy/decide.js";
import type { ClusterCount } from "../eval/stats/design-effect.js";
import { type EffectiveRate, effectiveRate, lowerOf, mixedUpper, upperOf } from "./claims/weighted-mix.js";

/** Share of each tier in the in-scope requests, by the tier of the right workflow; the shares sum to 1. */
export type TierMix = NonNullable<FitOptions["tier_mix"]>;

/** Shares of out-of-scope requests for which every calibration lists the false-route rate. */
const sensitivityShares = [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6] as const;

interface Outcome {
  readonly cluster: string;
  readonly tier: RiskTier | null;
  readonly routed: boolean;
  readonly wrong: boolean;
}

/** Tier of every workflow that is a candidate in any record. */
function tiersOf(records: readonly ScoredRecord[]): ReadonlyMap<string, RiskTier> {
  const tiers = new Map<string, RiskTier>();
  for (const { candidates } of records) {
    for (const { workflow_id: workflowId, risk_tier: riskTier } of candidates) tiers.set(workflowId, riskTier);
  }
  return tiers;
}

function outcomesOf(records: readonly ScoredRecord[], thresholds: DecisionThresholds): readonly Outcome[] {
  const tiers = tiersOf(records);
  return records.map(({ cluster, workflow_id: workflowId, candidates, early_reason: earlyReason }) => {
    const decision = earlyReason === null ? decide(candidates, thresholds) : null;
    const routed = decision?.decision === "ROUTE";
    const wrong = routed && decision.workflow_id !== workflowId;
    return { cluster, tier: workflowId === null ? null : (tiers.get(workflowId) ?? null), routed, wrong };
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

/** Rates of one part of the in-scope requests, and the weight of the part. */
interface Part {
  readonly weight: number;
  readonly wrong: EffectiveRate;
  readonly routed: EffectiveRate;
}

function partsOf(inScope: readonly Outcome[], mix: TierMix | null): readonly Part[] {
  const part = (outcomes: readonly Outcome[], weight: number): Part => ({
    weight,
    wrong: rateBy(outcomes, (outcome) => outcome.wrong),
    routed: rateBy(outcomes, (outcome) => outcome.routed),
  });
  if (mix === null) return [part(inScope, 1)];
  return riskTiers
    .filter((tier) => mix[tier] > 0)
    .map((tier) =>
      part(
        inScope.filter((outcome) => outcome.tier === tier),
        mix[tier],
      ),
    );
}

const estimateOf = ({ events, trials }: EffectiveRate): number | null => (trials === 0 ? null : events / trials);

/** Weighted sum over the parts; null if a part is empty. */
function weighted(parts: readonly Part[], valueOf: (part: Part) => number | null): number | null {
  return parts.reduce<number | null>((sum, part) => {
    const value = valueOf(part);
    return sum === null || value === null ? null : sum + part.weight * value;
  }, 0);
}

interface Parts {
  readonly outside: EffectiveRate;
  readonly inside: readonly Part[];
}

function mixPoint({ outside, inside }: Parts, share: number, delta: number): MixPoint {
  const outsideRouted = share === 0 ? 0 : estimateOf(outside);
  const insideRouted = weighted(inside, ({ routed }) => estimateOf(routed));
  const insideWrong = weighted(inside, ({ wrong }) => estimateOf(wrong));
  const known = outsideRouted !== null && insideRouted !== null && insideWrong !== null;
  const coverage = known ? share * outsideRouted + (1 - share) * insideRouted : null;
  const wrong = known ? share * outsideRouted + (1 - share) * insideWrong : null;
  return {
    out_of_scope_share: share,
    coverage,
    false_route_rate: coverage === null || wrong === null || coverage === 0 ? null : wrong / coverage,
    upper_bound: coverage === null || coverage === 0 ? null : upperBound({ outside, inside }, share, delta),
  };
}

/** One-sided upper limit at delta; with several parts, delta is divided among the rates. */
function upperBound({ outside, inside }: Parts, share: number, delta: number): number {
  const [only] = inside;
  if (inside.length === 1 && only !== undefined) {
    const rates = { outOfScopeRouted: outside, inScopeWrong: only.wrong, inScopeRouted: only.routed };
    return mixedUpper(rates, share, delta);
  }
  const d = delta / (1 + 2 * inside.length);
  const outsideRouted = share === 0 ? 0 : upperOf(outside, d);
  const wrong = inside.reduce((sum, part) => sum + part.weight * upperOf(part.wrong, d), 0);
  const routed = inside.reduce((sum, part) => sum + part.weight * lowerOf(part.routed, d), 0);
  const all = share * outsideRouted + (1 - share) * Math.max(wrong, routed);
  return all === 0 ? 1 : Math.min(1, (share * outsideRouted + (1 - share) * wrong) / all);
}

/** Expected traffic. */
export interface TrafficInput {
  readonly outOfScopeShare: number;
  readonly declared: boolean;
  readonly tierMix: TierMix | null;
  /** Error probability of each limit, in (0, 1). */
  readonly delta: number;
}

/**
 * The false-route rate of the final thresholds, re-weighted to the expected traffic and to traffic with 1 % to 60 %
 * out-of-scope requests. Limits are Clopper-Pearson limits on effective counts, combined by a union bound. Each row
 * holds on its own, not jointly with the others.
 */
export function trafficOf(
  certify: readonly ScoredRecord[],
  thresholds: DecisionThresholds,
  input: TrafficInput,
): Traffic {
  const outcomes = outcomesOf(certify, thresholds);
  const inScope = outcomes.filter((_, i) => certify[i]?.workflow_id !== null);
  const outOfScope = outcomes.filter((_, i) => certify[i]?.workflow_id === null);
  const parts = { outside: rateBy(outOfScope, (outcome) => outcome.routed), inside: partsOf(inScope, input.tierMix) };
  return {
    declared: input.declared,
    tier_mix: input.tierMix,
    expected: mixPoint(parts, input.outOfScopeShare, input.delta),
    sensitivity: sensitivityShares.map((share) => mixPoint(parts, share, input.delta)),
  };
}
