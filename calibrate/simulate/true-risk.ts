import type { Calibration, Claim } from "../../src/domain/calibration.js";
import type { RiskTier } from "../../src/domain/choices.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { decide } from "../../src/policy/decide.js";

/** Requests of one cluster in the population, and the results of a claim's tiers. */
interface Tally {
  requests: number;
  routed: number;
  wrong: number;
}

/** Results of thresholds on the whole population. */
export interface TrueOutcome {
  /** Routed share of all requests, in [0, 1]. */
  readonly coverage: number;
  /** The risk that each claim bounds; null where its tiers route nothing. */
  readonly risks: ReadonlyMap<Claim, number | null>;
}

const sumOf = (tallies: readonly Tally[], valueOf: (tally: Tally) => number): number =>
  tallies.reduce((sum, tally) => sum + valueOf(tally), 0);

const meanOf = (tallies: readonly Tally[], valueOf: (tally: Tally) => number): number =>
  sumOf(tallies, valueOf) / tallies.length;

interface ScopedTallies {
  readonly inScope: readonly Tally[];
  readonly outOfScope: readonly Tally[];
}

/** Wrong share of the routed requests when `share` of the traffic is out of scope. */
function reweighted({ inScope, outOfScope }: ScopedTallies, share: number): number {
  const rate = (tallies: readonly Tally[], valueOf: (tally: Tally) => number) =>
    tallies.length === 0 ? 0 : sumOf(tallies, valueOf) / sumOf(tallies, (tally) => tally.requests);
  const outside = share * rate(outOfScope, (tally) => tally.routed);
  const routed = outside + (1 - share) * rate(inScope, (tally) => tally.routed);
  return (outside + (1 - share) * rate(inScope, (tally) => tally.wrong)) / routed;
}

function riskOf(tallies: ScopedTallies, { delta }: Claim, declaredShare: number | null): number | null {
  const all = [...tallies.inScope, ...tallies.outOfScope];
  const routing = all.filter((tally) => tally.routed > 0);
  if (routing.length === 0) return null;
  if (delta === null) return meanOf(all, ({ wrong, requests }) => wrong / requests);
  if (declaredShare !== null) return reweighted(tallies, declaredShare);
  return sumOf(routing, (tally) => tally.wrong) / sumOf(routing, (tally) => tally.routed);
}

/** A request of the population and its decision. */
interface Outcome {
  readonly record: ScoredRecord;
  /** Tier of the workflow that was chosen; null when the request was not routed. */
  readonly tier: RiskTier | null;
  readonly wrong: boolean;
}

function talliesOf(outcomes: readonly Outcome[], tiers: Claim["tiers"]): ScopedTallies {
  const [inScope, outOfScope] = [new Map<string, Tally>(), new Map<string, Tally>()];
  for (const { record, tier, wrong } of outcomes) {
    const side = record.workflowId === null ? outOfScope : inScope;
    const tally = side.get(record.cluster) ?? { requests: 0, routed: 0, wrong: 0 };
    tally.requests += 1;
    side.set(record.cluster, tally);
    if (tier === null || !tiers.includes(tier)) continue;
    tally.routed += 1;
    if (wrong) tally.wrong += 1;
  }
  return { inScope: [...inScope.values()], outOfScope: [...outOfScope.values()] };
}

/** Applies a calibration to every request of a population and measures the risks that its claims bound. */
export function trueOutcome(records: readonly ScoredRecord[], calibration: Calibration): TrueOutcome {
  const outcomes = records.map((record): Outcome => {
    const decision = record.earlyReason === null ? decide(record.candidates, calibration) : null;
    const tier = decision?.decision === "ROUTE" ? decision.riskTier : null;
    return { record, tier, wrong: decision?.workflowId !== record.workflowId };
  });
  const { declared, expected } = calibration.traffic;
  const declaredShare = declared ? expected.outOfScopeShare : null;
  const routed = outcomes.filter(({ tier }) => tier !== null).length;
  return {
    coverage: records.length === 0 ? 0 : routed / records.length,
    risks: new Map(
      calibration.claims.map((claim) => [claim, riskOf(talliesOf(outcomes, claim.tiers), claim, declaredShare)]),
    ),
  };
}
