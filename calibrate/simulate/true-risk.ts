import type { Calibration, ClaimKind } from "../../src/domain/calibration.js";
import { type RiskTier, riskTiers } from "../../src/domain/catalog.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { type DecisionThresholds, decide } from "../../src/policy/decide.js";
import { perTier } from "../per-tier.js";

/** Requests of one cluster in the population, and what one tier does with them. */
interface Tally {
  requests: number;
  routed: number;
  wrong: number;
}

/** What thresholds do on the whole population. */
export interface TrueOutcome {
  /** Routed share of all requests, in [0, 1]. */
  readonly coverage: number;
  /** The quantity that the claim bounds, for each tier; null where the tier routes nothing. */
  readonly risk: Readonly<Record<RiskTier, number | null>>;
}

const sumOf = (tallies: readonly Tally[], valueOf: (tally: Tally) => number): number =>
  tallies.reduce((sum, tally) => sum + valueOf(tally), 0);

const meanOf = (tallies: readonly Tally[], valueOf: (tally: Tally) => number): number =>
  sumOf(tallies, valueOf) / tallies.length;

interface TierTallies {
  readonly inScope: readonly Tally[];
  readonly outOfScope: readonly Tally[];
}

/** Wrong share of the routed requests when `share` of the traffic is out of scope. */
function reweighted({ inScope, outOfScope }: TierTallies, share: number): number {
  const rate = (tallies: readonly Tally[], valueOf: (tally: Tally) => number) =>
    tallies.length === 0 ? 0 : sumOf(tallies, valueOf) / sumOf(tallies, (tally) => tally.requests);
  const outside = share * rate(outOfScope, (tally) => tally.routed);
  const routed = outside + (1 - share) * rate(inScope, (tally) => tally.routed);
  return (outside + (1 - share) * rate(inScope, (tally) => tally.wrong)) / routed;
}

function riskOf(tallies: TierTallies, claim: ClaimKind, declaredShare: number | null): number | null {
  const all = [...tallies.inScope, ...tallies.outOfScope];
  const routing = all.filter((tally) => tally.routed > 0);
  if (routing.length === 0) return null;
  if (claim === "new-workflows") return meanOf(routing, ({ wrong, routed }) => wrong / routed);
  if (claim === "expected-joint-risk") return meanOf(all, ({ wrong, requests }) => wrong / requests);
  if (declaredShare !== null) return reweighted(tallies, declaredShare);
  return sumOf(routing, (tally) => tally.wrong) / sumOf(routing, (tally) => tally.routed);
}

type Clusters = Readonly<Record<RiskTier, Map<string, Tally & { readonly outOfScope: boolean }>>>;

interface RoutedTo {
  /** Tier of the workflow that was chosen; null when the request was not routed. */
  readonly tier: RiskTier | null;
  readonly wrong: boolean;
}

/** Counts one request in every tier: routed in one of them at most. */
function count(clusters: Clusters, record: ScoredRecord, routedTo: RoutedTo): void {
  const outOfScope = record.workflowId === null;
  for (const tier of riskTiers) {
    const tally = clusters[tier].get(record.cluster) ?? { requests: 0, routed: 0, wrong: 0, outOfScope };
    tally.requests += 1;
    clusters[tier].set(record.cluster, tally);
    if (routedTo.tier !== tier) continue;
    tally.routed += 1;
    if (routedTo.wrong) tally.wrong += 1;
  }
}

/** Applies a calibration to every request of a population and measures what its claim is about. */
export function trueOutcome(
  records: readonly ScoredRecord[],
  calibration: DecisionThresholds & Pick<Calibration, "claim" | "traffic">,
): TrueOutcome {
  const clusters: Clusters = perTier(() => new Map());
  let routed = 0;
  for (const record of records) {
    const decision = record.earlyReason === null ? decide(record.candidates, calibration) : null;
    const tier = decision?.decision === "ROUTE" ? decision.riskTier : null;
    if (tier !== null) routed += 1;
    count(clusters, record, { tier, wrong: decision?.workflowId !== record.workflowId });
  }
  const declaredShare = calibration.traffic.declared ? calibration.traffic.expected.outOfScopeShare : null;
  const inTier = (tier: RiskTier, outOfScope: boolean) =>
    [...clusters[tier].values()].filter((tally) => tally.outOfScope === outOfScope);
  return {
    coverage: records.length === 0 ? 0 : routed / records.length,
    risk: perTier((tier) =>
      riskOf({ inScope: inTier(tier, false), outOfScope: inTier(tier, true) }, calibration.claim, declaredShare),
    ),
  };
}
