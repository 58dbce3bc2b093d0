import type { Rate } from "../../src/documents/rate.js";
import { clopperPearsonLower, clopperPearsonUpper } from "../../src/base/numbers/clopper-pearson.js";

/** How a router treats in-scope and out-of-scope requests. */
export interface RoutingShares {
  /** Share of the out-of-scope requests that is routed. */
  readonly outOfScopeRouted: Rate;
  /** Share of the in-scope requests that is routed to a wrong workflow. */
  readonly inScopeWrong: Rate;
  /** Share of the in-scope requests that is routed. */
  readonly inScopeRouted: Rate;
}

/** The false-route rate at a given share of out-of-scope requests. */
export interface AdjustedRisk {
  /** null if a required rate is undefined or nothing is routed. */
  readonly value: number | null;
  /** One-sided upper limit with error probability `d`; 1 if nothing is known. */
  readonly upper: number | null;
}

/**
 * Share of routed requests that go wrong if a share `pi` of the traffic is out of scope; the data rarely has the share
 * of production. The upper limit combines the limits of the three rates at d/3 each: upper limits of the first two,
 * because the result rises with them, and the lower limit of the third.
 * @param pi  in [0, 1]
 * @param d  error probability of the upper limit, in (0, 1)
 */
export function prevalenceAdjustedRisk(shares: RoutingShares, pi: number, d = 0.05): AdjustedRisk {
  const { outOfScopeRouted, inScopeWrong, inScopeRouted } = shares;
  const needed = [...(pi > 0 ? [outOfScopeRouted] : []), ...(pi < 1 ? [inScopeWrong, inScopeRouted] : [])];
  if (needed.some((rate) => rate.estimate === null)) return { value: null, upper: null };
  const value = combine(pi, outOfScopeRouted.estimate ?? 0, inScopeWrong.estimate ?? 0, inScopeRouted.estimate ?? 0);
  if (value === null) return { value: null, upper: null };
  const outWorst = pi === 0 ? 0 : upper(outOfScopeRouted, d / 3);
  const [wrongWorst, routedWorst] = pi === 1 ? [0, 0] : [upper(inScopeWrong, d / 3), lower(inScopeRouted, d / 3)];
  return { value, upper: Math.min(1, combine(pi, outWorst, wrongWorst, routedWorst) ?? 1) };
}

function combine(pi: number, outRouted: number, inWrong: number, inRouted: number): number | null {
  const routed = pi * outRouted + (1 - pi) * inRouted;
  return routed === 0 ? null : (pi * outRouted + (1 - pi) * inWrong) / routed;
}

const effective = (rate: Rate): readonly [x: number, n: number] => {
  const n = Math.min(rate.n, rate.effective_n ?? rate.n);
  return [(rate.k / rate.n) * n, n];
};
const upper = (rate: Rate, d: number): number => clopperPearsonUpper(...effective(rate), d);
const lower = (rate: Rate, d: number): number => clopperPearsonLower(...effective(rate), d);
