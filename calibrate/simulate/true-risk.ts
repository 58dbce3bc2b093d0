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

/** Applies a calibration to every request of a population and measures what its claim is about. */
export function trueOutcome(
  records: readonly ScoredRecord[],
  calibration: DecisionThresholds & Pick<Calibration, "claim" | "traffic">,
): TrueOutcome {
  const clusters = perTier(() => new Map<string, Tally & { readonly outOfScope: boolean }>());
  let routed = 0;
  for (const { cluster, workflowId, candidates, earlyReason } of records) {
    const decision = earlyReason === null ? decide(candidates, calibration) : null;
    const chosen = decision?.decision === "ROUTE" ? decision.riskTier : null;
    if (chosen !== null) routed += 1;
    for (const tier of riskTiers) {
      const tally = clusters[tier].get(cluster) ?? {
        requests: 0,
        routed: 0,
        wrong: 0,
        outOfScope: workflowId === null,
      };
      tally.requests += 1;
      if (chosen === tier) tally.routed += 1;
      if (chosen === tier && decision?.workflowId !== workflowId) tally.wrong += 1;
      clusters[tier].set(cluster, tally);
    }
  }
  const declaredShare = calibration.traffic.declared ? calibration.traffic.expected.outOfScopeShare : null;
  return {
    coverage: records.length === 0 ? 0 : routed / records.length,
    risk: perTier((tier) => {
      const all = [...clusters[tier].values()];
      const inScope = all.filter((tally) => !tally.outOfScope);
      const outOfScope = all.filter((tally) => tally.outOfScope);
      return riskOf({ inScope, outOfScope }, calibration.claim, declaredShare);
    }),
  };
}
