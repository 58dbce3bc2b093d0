import { type Claim, languageOfScope } from "../src/documents/calibration.js";
import { type Evaluation, languageDimension } from "../src/documents/evaluation.js";
import type { Rate } from "../src/documents/rate.js";
import { clopperPearson } from "../src/base/numbers/clopper-pearson.js";

export interface ClaimOutcome {
  /**
   * Number of routed requests (k) of all requests of the fold (n); for a single tier, of those whose top candidate has
   * this tier.
   */
  readonly routed: { readonly k: number; readonly n: number };
  /** Share of wrong routes in the routed requests; in all requests if the claim is an average over all requests. */
  readonly wrong: Rate;
}

const confidence = 0.95;

/** Combines the rates of disjoint tiers; the interval uses the largest of their design effects. */
function together(rates: readonly Rate[]): Rate {
  const sum = (valueOf: (rate: Rate) => number): number => rates.reduce((total, rate) => total + valueOf(rate), 0);
  const [only] = rates;
  if (only !== undefined && rates.length === 1) return only;
  const [n, k, clusters] = [sum((rate) => rate.n), sum((rate) => rate.k), sum((rate) => rate.clusters)];
  const shared = { sides: 2, confidence, n, k, clusters, icc: null } as const;
  if (n === 0) {
    const nothing = { estimate: null, lower: null, upper: null, design_effect: null, effective_n: null };
    return { ...shared, ...nothing, null_reason: "EMPTY_DENOMINATOR", method: "clopper-pearson" };
  }
  if (rates.some(({ method }) => method === "claim" || method === "none")) {
    const counts = { lower: null, upper: null, design_effect: null, effective_n: null };
    return { ...shared, ...counts, estimate: k / n, null_reason: null, method: "none" };
  }
  const designEffect = rates.reduce((largest, rate) => Math.max(largest, rate.design_effect ?? 1), 1);
  const effectiveN = n / designEffect;
  const interval = clopperPearson((k / n) * effectiveN, effectiveN, confidence);
  return {
    ...shared,
    ...interval,
    estimate: k / n,
    null_reason: null,
    method: "cp-neff",
    design_effect: designEffect,
    effective_n: effectiveN,
  };
}

/** The fields of an evaluation that show what came of a claim. */
export type MeasuredOutcomes = Pick<Evaluation, "tiers" | "selective_risk" | "requests"> & {
  readonly detail: Pick<Evaluation["detail"], "slices">;
};

export function claimOutcome(
  { scope, tiers }: Pick<Claim, "scope" | "tiers">,
  evaluation: MeasuredOutcomes,
): ClaimOutcome {
  const language = languageOfScope(scope);
  if (language !== null) {
    const slice = evaluation.detail.slices.find(
      ({ dimension, value }) => dimension === languageDimension && value === language,
    );
    return slice === undefined
      ? { routed: { k: 0, n: 0 }, wrong: together([]) }
      : { routed: slice.coverage, wrong: slice.selective_risk };
  }
  const own = evaluation.tiers.filter(({ tier }) => tiers.includes(tier));
  const wrong =
    own.length === evaluation.tiers.length ? evaluation.selective_risk : together(own.map((t) => t.selective_risk));
  const routed = own.reduce((sum, tier) => sum + tier.routed.k, 0);
  const asked = scope === "overall" ? evaluation.requests : own.reduce((sum, tier) => sum + tier.routed.n, 0);
  return { routed: { k: routed, n: asked }, wrong };
}
