import type { FitOptions } from "../../src/documents/calibration.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { certifyTargets, type TestedClaim } from "../certify-claims.js";
import { drawSample, type SampleSize, sampleRequests } from "./draw-sample.js";
import type { PlanPopulation } from "./plan-population.js";

/** Result of certifying samples of one size for one target. Shares are in [0, 1]. */
export interface SimulatedTarget {
  readonly target: number;
  /** Share of the samples that certify. */
  readonly probability: number;
  /** Routed share of all requests in the samples that certify; null if none does. */
  readonly coverage: number | null;
  /** Share of the samples in which the observed risk at some threshold is within the target, certified or not. */
  readonly possible: number;
}

export interface Simulation {
  readonly population: PlanPopulation;
  /** The claim and its test; the target is ignored. */
  readonly fit: FitOptions;
  readonly targets: readonly number[];
  readonly samples: number;
  readonly seed: number;
  /** Called after each sample; throwing cancels the simulation. */
  readonly afterSample: () => Promise<void>;
}

/** Minimum number of routed requests for a meaningful error rate. */
const fewestRouted = 20;

function isPossible({ path, test }: TestedClaim): boolean {
  return path.some(({ routed, errors }) => routed >= fewestRouted && errors <= test.target * routed);
}

class Outcome {
  certified = 0;
  possible = 0;
  coverage = 0;

  add(claim: TestedClaim, requests: number): void {
    if (isPossible(claim)) this.possible += 1;
    const shipped = claim.tested.certified.at(-1);
    if (shipped === undefined) return;
    this.certified += 1;
    this.coverage += shipped.routed / Math.max(1, requests);
  }
}

/** Applies the certification rule to samples of one size. The same seed gives the same samples. */
export async function simulateTargets(
  { population, fit, targets, samples, seed, afterSample }: Simulation,
  size: SampleSize,
): Promise<readonly SimulatedTarget[]> {
  const outcomes = targets.map(() => new Outcome());
  const random = seededRandom(seed);
  for (let i = 0; i < samples; i += 1) {
    const tested = drawSample(population, size, random);
    const requests = sampleRequests(tested);
    for (const [at, claim] of certifyTargets(fit, targets, tested).entries()) {
      outcomes[at]?.add(claim, requests);
    }
    await afterSample();
  }
  return targets.map((target, at) => {
    const { certified, possible, coverage } = outcomes[at];
    return {
      target,
      probability: certified / samples,
      coverage: certified === 0 ? null : coverage / certified,
      possible: possible / samples,
    };
  });
}
