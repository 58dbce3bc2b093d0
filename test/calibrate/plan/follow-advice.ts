/** Follows the advice of plans in worlds whose future can be drawn, and counts how often it certifies. */
import type { FitOptions } from "../../../src/documents/calibration.js";
import { procedureOf } from "../../../calibrate/procedure.js";
import { certifyTargets, signedTarget, type TestedRequests } from "../../../calibrate/certify-claims.js";
import { likely, plannedTargets } from "../../../src/documents/calibration-plan.js";
import { type ClaimKind } from "../../../src/documents/choices.js";
import { advisedTarget } from "../../../calibrate/plan/plan-calibration.js";
import { planPopulation } from "../../../calibrate/plan/draw-sample.js";
import { claimSizes } from "../../../calibrate/plan/plan-sizes.js";
import { searchMissing, simulateTargets } from "../../../calibrate/plan/search-missing.js";
import type { Folds } from "../../../src/documents/split.js";
import { type SeededRandom, seededRandom } from "../../../src/base/numbers/seeded-random.js";

/** Requests to plan from, and further ones of the same kind. */
export interface Future {
  readonly labelled: TestedRequests;
  /** FitOptions at present, or with more: whole workflows, or requests. null: that many cannot be drawn. */
  readonly certifyWith: (more: { readonly workflows: number; readonly requests: number }) => TestedRequests | null;
  readonly folds: Folds;
  /** Whether a claim of a target that ships a threshold is false. */
  readonly isFalse: (threshold: number, target: number) => boolean;
}

/** How often what a plan said came true. */
export interface Followed {
  /** Rows that say a target certifies with the present data; those that name what is missing. */
  readonly stated: Tally;
  readonly missing: Tally;
  /** Rows called out of reach; those of them that certify with the present data. */
  readonly outOfReach: Tally;
  /** Draws in which a target was advised and certified, and those of them whose claim is false. */
  readonly advised: { readonly certified: number; readonly broken: number };
}

export interface Tally {
  readonly rows: number;
  readonly certified: number;
}

export interface FollowOptions {
  readonly claim: ClaimKind;
  readonly draws: number;
  readonly seed: number;
  /** Simulated certifications behind each probability. */
  readonly samples: number;
  /** Whether what is missing is searched and followed too. */
  readonly search: boolean;
}

const optionsOf = (claim: ClaimKind): FitOptions => procedureOf({ claim, target_risk: Math.min(...plannedTargets) });

/** The threshold that ships; undefined when nothing is certified. */
function shippedThreshold(claim: ClaimKind, target: number, tested: TestedRequests | null): number | undefined {
  if (tested === null) return undefined;
  const [overall] = certifyTargets(optionsOf(claim), [target], tested);
  if (overall === undefined || signedTarget(overall) > target) return undefined;
  return overall.tested.certified.at(-1)?.confidence;
}

/** Counts rows, and those of them that certify. */
class Counter {
  rows = 0;
  certified = 0;
  readonly #claim: ClaimKind;

  constructor(claim: ClaimKind) {
    this.#claim = claim;
  }

  add(target: number, tested: TestedRequests | null): void {
    if (tested === null) return;
    this.rows += 1;
    if (shippedThreshold(this.#claim, target, tested) !== undefined) this.certified += 1;
  }
}

/** Plans from each draw, does what the plan says, and counts. */
export async function followAdvice(
  drawFuture: (random: SeededRandom) => Future,
  options: FollowOptions,
): Promise<Followed> {
  const { claim, draws, seed, samples, search } = options;
  const random = seededRandom(seed);
  const [stated, missing, outOfReach] = [new Counter(claim), new Counter(claim), new Counter(claim)];
  const advised = { certified: 0, broken: 0 };
  for (let draw = 0; draw < draws; draw += 1) {
    const { labelled, certifyWith, folds, isFalse } = drawFuture(random);
    const population = planPopulation(labelled);
    const byRequest = claim === "fixed-catalog";
    const sizes = claimSizes(claim, { population, folds, byRequest, tuneCertifies: true });
    const simulation = {
      population,
      fit: optionsOf(claim),
      targets: plannedTargets,
      samples,
      seed: draw + 1,
      afterSample: () => Promise.resolve(),
    };
    const now = await simulateTargets(simulation, sizes.sampleOf({ inScope: 1, outOfScope: 1 }));
    const present = certifyWith({ workflows: 0, requests: 0 });
    for (const { target, probability } of now) if (probability >= likely) stated.add(target, present);
    const target = advisedTarget(now);
    const shipped = target === null ? undefined : shippedThreshold(claim, target, present);
    if (target !== null && shipped !== undefined) {
      advised.certified += 1;
      if (isFalse(shipped, target)) advised.broken += 1;
    }
    const searches = search ? await searchMissing({ simulation, sizes, outOfScopeAlone: false }, now) : [];
    for (const { target, missing: lacks } of searches) {
      if (lacks.kind === "more") missing.add(target, certifyWith(lacks));
      if (lacks.kind === "out_of_reach") outOfReach.add(target, present);
    }
  }
  return { stated, missing, outOfReach, advised };
}
