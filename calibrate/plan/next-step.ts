import type { FitOptions, NextStep, TestStep } from "../../src/documents/calibration.js";
import { certifyClaims, limitAt, signedTarget, type TestedClaim, type TestedRequests } from "../certify-claims.js";
import { targetOf } from "../fixed-sequence-test.js";
import { planPopulation, requestsOf, type PlanPopulation } from "./draw-sample.js";
import type { ClaimSizes } from "./plan-sizes.js";
import { searchMissing, searchWork, type Simulation } from "./search-missing.js";

/** A calibration, and the requests that it tested. */
export interface NextStepInput extends Pick<Simulation, "samples" | "seed" | "afterSample"> {
  /** The options of the calibration. */
  readonly fit: FitOptions;
  readonly tested: TestedRequests;
}

/** Maximum number of simulated calibrations of a plan, for progress. */
export const nextStepWork = searchWork;

/** The present data of a calibration, and samples with a multiple of it; more data about new workflows is new workflows. */
function sizesOf({ inScope, outOfScope }: PlanPopulation, { claim }: FitOptions): ClaimSizes {
  const [inside, outside] = [requestsOf(inScope), requestsOf(outOfScope)];
  const none = { inScope: 0, outOfScope: 0 };
  const more = (factor: number, count: number): number => Math.round((factor - 1) * count);
  return {
    present: { workflows: inScope.length, requests: inside + outside, out_of_scope: outside },
    sampleOf: (factor) => {
      const grown = (inCount: number, outCount: number) => ({
        inScope: more(factor.inScope, inCount),
        outOfScope: more(factor.outOfScope, outCount),
      });
      const added =
        claim === "fixed-catalog"
          ? { clusters: none, requests: grown(inside, outside) }
          : { clusters: grown(inScope.length, outOfScope.length), requests: none };
      return { withLabelled: true, perWorkflow: 1, ...added };
    },
  };
}

/** Number of wrong routes that a stop names. */
const named = 3;

/** The failed test of a target, and what its limit would be without the most confident wrong routes. */
function stopOf(target: number, claim: TestedClaim, { fit, tested }: NextStepInput): NextStep["stopped_at"] {
  const failed = (step: TestStep): boolean => !step.passed && targetOf(step, claim.test) === target;
  const step = claim.tested.trace.find(failed);
  if (step === undefined) return null;
  const { confidence, routed, errors, upper_bound } = step;
  const worst = tested.rows
    .filter((row) => row.error && row.confidence >= confidence && claim.tiers.includes(row.tier))
    // A row that was wrong in an earlier calibration counts as wrong, but its present route has nothing to correct.
    .filter(({ request, routed }) => request === undefined || request.workflow_id !== routed)
    .sort((a, b) => b.confidence - a.confidence || ((a.request?.id ?? "") < (b.request?.id ?? "") ? -1 : 1))
    .slice(0, named);
  const repaired = tested.rows.map((row) => (worst.includes(row) ? { ...row, error: false } : row));
  return {
    errors,
    routed,
    upper_bound,
    without: limitAt(confidence, claim, fit, { ...tested, rows: repaired }),
    wrong: worst.flatMap(({ request, routed: to = null, confidence: own }) =>
      request === undefined ? [] : [{ id: request.id, right: request.workflow_id, routed: to, confidence: own }],
    ),
  };
}

/**
 * How many further labelled requests the next target needs, or gives it its best chance; null where the planned target is
 * signed. Each simulated calibration follows the same procedure on the present requests and further ones drawn from one
 * belief about them, at the level of the next calibration of the same labels.
 */
export async function planNextStep(input: NextStepInput): Promise<NextStep | null> {
  const { fit, tested, samples, seed, afterSample } = input;
  const claim = certifyClaims(fit, tested).find(({ scope }) => scope === "overall");
  if (claim === undefined) return null;
  const signed = claim.tested.certified.length === 0 ? null : signedTarget(claim);
  const target = [...fit.looser_targets, fit.target_risk].find((one) => signed === null || one < signed);
  if (target === undefined) return null;
  const population = planPopulation(tested);
  const next = { ...fit, attempt: fit.attempt === null ? null : fit.attempt + 1 };
  const simulation = { population, fit: next, targets: [target], inSequence: true, samples, seed, afterSample };
  const search = { simulation, sizes: sizesOf(population, fit), outOfScopeAlone: false };
  const [planned] = await searchMissing(search, [{ target, probability: 0, coverage: null }]);
  if (planned?.missing.kind !== "more" && planned?.missing.kind !== "out_of_reach") return null;
  const { missing } = planned;
  const more = missing.kind === "more" ? missing : { requests: null, workflows: 0 };
  return {
    target_risk: target,
    requests: more.requests,
    workflows: more.workflows,
    probability: missing.probability,
    stopped_at: stopOf(target, claim, input),
  };
}
