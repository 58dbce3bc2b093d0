import type { FitOptions, NextStep } from "../../src/documents/calibration.js";
import { likely } from "../../src/documents/calibration-plan.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { certifyClaims, signedTarget, type TestedRequests } from "../certify-claims.js";
import { drawSample, sampleRequests, planPopulation, requestsOf } from "./draw-sample.js";

/** A calibration about one catalog, and what its next one would be tested on. */
export interface NextStepInput {
  /** The options of the calibration. */
  readonly fit: FitOptions;
  /** The target that its overall claim states; null if it is not certified. */
  readonly signed: number | null;
  readonly tested: TestedRequests;
  /** Simulated calibrations behind each probability. */
  readonly samples: number;
  readonly seed: number;
  /** Called after each simulated calibration; throwing cancels the plan. */
  readonly afterSample: () => Promise<void>;
}

/** Multiples of the present requests that are tried, in this order; more is no advice. */
const factors = [1.25, 1.5, 2, 3, 4, 6, 10] as const;
/** How often the step between the first sufficient multiple and the one before it is halved. */
const refinements = 2;

/** Maximum number of simulated calibrations of a plan, for progress. */
export const nextStepWork = (samples: number): number => samples * (factors.length + refinements);

/** The strictest target that a fit certifies over its overall claim; null: none. */
export function overallTarget(fit: FitOptions, tested: TestedRequests): number | null {
  const claim = certifyClaims(fit, tested).find(({ scope }) => scope === "overall");
  return claim === undefined || claim.tested.certified.length === 0 ? null : signedTarget(claim);
}

/** The loosest target of the sequence that is stricter than the signed one; null: the planned one is signed. */
function nextTarget({ looser_targets: looser, target_risk: planned }: FitOptions, signed: number | null) {
  return [...looser, planned].find((target) => signed === null || target < signed) ?? null;
}

/**
 * How many further labelled requests the next target needs; null where the planned target is signed. Each simulated
 * calibration tests the present requests and further ones drawn from one belief about them, at the level of the next
 * calibration of the same labels.
 */
export async function planNextStep({
  fit,
  signed: stated,
  tested,
  samples,
  seed,
  afterSample,
}: NextStepInput): Promise<NextStep | null> {
  const target = nextTarget(fit, stated);
  if (target === null) return null;
  const next: FitOptions = { ...fit, attempt: fit.attempt === null ? null : fit.attempt + 1 };
  const population = planPopulation(tested);
  const [inScope, outOfScope] = [requestsOf(population.inScope), requestsOf(population.outOfScope)];
  const none = { inScope: 0, outOfScope: 0 };
  const isLikely = async (factor: number): Promise<boolean> => {
    const requests = {
      inScope: Math.round((factor - 1) * inScope),
      outOfScope: Math.round((factor - 1) * outOfScope),
    };
    const random = seededRandom(seed);
    let [certified, failed] = [0, 0];
    while (certified < likely * samples && samples - failed >= likely * samples) {
      const drawn = drawSample(population, { withLabelled: true, clusters: none, perWorkflow: 1, requests }, random);
      const signed = overallTarget(next, drawn);
      if (signed !== null && signed <= target) certified += 1;
      else failed += 1;
      await afterSample();
    }
    return certified >= likely * samples;
  };
  let low = 1;
  for (const factor of factors) {
    if (!(await isLikely(factor))) {
      low = factor;
      continue;
    }
    let high: number = factor;
    for (let i = 0; i < refinements; i += 1) {
      const middle = (low + high) / 2;
      if (await isLikely(middle)) high = middle;
      else low = middle;
    }
    return { target_risk: target, requests: Math.ceil((high - 1) * sampleRequests(tested)) };
  }
  return { target_risk: target, requests: null };
}
