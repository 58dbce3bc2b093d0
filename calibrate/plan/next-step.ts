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
/** A difference of chances that is not worth more requests. */
const hardlyLess = 0.05;
/** With a smaller chance at every multiple, more requests are no advice. */
const even = 0.5;
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

/** Share of the simulated calibrations that meet a target; less than an even chance need not be exact. */
async function chanceAt(
  factor: number,
  target: number,
  { fit, tested, samples, seed, afterSample }: NextStepInput,
): Promise<number> {
  const next: FitOptions = { ...fit, attempt: fit.attempt === null ? null : fit.attempt + 1 };
  const population = planPopulation(tested);
  const more = factor - 1;
  const requests = {
    inScope: Math.round(more * requestsOf(population.inScope)),
    outOfScope: Math.round(more * requestsOf(population.outOfScope)),
  };
  const none = { inScope: 0, outOfScope: 0 };
  const random = seededRandom(seed);
  let [certified, failed] = [0, 0];
  while (certified + failed < samples && failed <= (1 - even) * samples) {
    const drawn = drawSample(population, { withLabelled: true, clusters: none, perWorkflow: 1, requests }, random);
    const signed = overallTarget(next, drawn);
    if (signed !== null && signed <= target) certified += 1;
    else failed += 1;
    await afterSample();
  }
  return certified / samples;
}

/**
 * How many further labelled requests the next target needs, or gives it its best chance; null where the planned target is
 * signed. Each simulated
 * calibration tests the present requests and further ones drawn from one belief about them, at the level of the next
 * calibration of the same labels.
 */
export async function planNextStep(input: NextStepInput): Promise<NextStep | null> {
  const { fit, signed, tested } = input;
  const target = nextTarget(fit, signed);
  if (target === null) return null;
  const stepAt = ({ factor, probability }: { readonly factor: number; readonly probability: number }): NextStep => ({
    target_risk: target,
    requests: Math.ceil((factor - 1) * sampleRequests(tested)),
    probability,
  });
  const tried: { readonly factor: number; readonly probability: number }[] = [];
  for (const factor of factors) {
    tried.push({ factor, probability: await chanceAt(factor, target, input) });
    if ((tried.at(-1)?.probability ?? 0) >= likely) break;
  }
  const most = Math.max(...tried.map(({ probability }) => probability));
  const first = tried.findIndex(({ probability }) => probability >= (most >= likely ? likely : most - hardlyLess));
  let best = tried[first];
  let low = tried[first - 1]?.factor ?? 1;
  if (best.probability < even) return { target_risk: target, requests: null, probability: best.probability };
  if (best.probability < likely) return stepAt(best);
  for (let i = 0; i < refinements; i += 1) {
    const factor = (low + best.factor) / 2;
    const probability = await chanceAt(factor, target, input);
    if (probability >= likely) best = { factor, probability };
    else low = factor;
  }
  return stepAt(best);
}
