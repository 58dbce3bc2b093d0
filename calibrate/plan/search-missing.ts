import type { ClaimSizes, DataFactor } from "./plan-sizes.js";
import { type DataSize, likely, type MissingData, type PlannedTarget } from "../../src/documents/calibration-plan.js";
import type { FitOptions } from "../../src/documents/calibration.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { certifyTargets, type TestedClaim } from "../certify-claims.js";
import { drawSample, type SampleSize, sampleRequests, type PlanPopulation } from "./draw-sample.js";

/** Multiples of the present data that a search tries, in this order. */
const factors = [1.25, 1.5, 2, 3, 4, 6, 8] as const;
/** The search goes up to at least this many requests, because a small dataset may need many times its size. */
const leastReach = 2000;
/** Number of samples per size in a search; few suffice because large samples vary little. */
const searchSamples = 60;
/**
 * Required probability in a search: higher than `likely` by the sampling noise, because the search stops at the first
 * size that passes.
 */
const searched = likely + 0.05;
/** A target that is possible in at most this share of the samples is out of reach. */
const hopeless = 0.05;
/** Factor above which the result for a target is inconclusive if it already has an even chance to certify. */
const mostForOpen = 2;
const open = 0.5;

const both = (factor: number): DataFactor => ({ inScope: factor, outOfScope: factor });

/** The largest multiple that a search tries. */
function lastFactor({ present }: ClaimSizes): number {
  return Math.max(factors.at(-1) ?? 1, Math.ceil(leastReach / Math.max(1, present.requests)));
}

/** Number of samples of a search, for a progress bar. */
export const searchWork = (): number => (factors.length + 1) * searchSamples;

/** Amount of data that a multiple adds. A fixed catalog gets no new workflows. */
function increment(
  factor: number,
  { workflows, requests, out_of_scope: outOfScope }: DataSize,
  settled: boolean,
): DataSize {
  const more = (count: number): number => Math.ceil((factor - 1) * count - 1e-9);
  return { workflows: settled ? 0 : more(workflows), requests: more(requests), out_of_scope: more(outOfScope) };
}

export interface SearchOptions {
  readonly simulation: Simulation;
  readonly sizes: ClaimSizes;
  /** Whether more out-of-scope requests can help on their own, because a share is declared. */
  readonly outOfScopeAlone: boolean;
}

/** Finds the first multiple of the present data at which each target certifies. */
async function firstFactors(
  { simulation, sizes }: SearchOptions,
  targets: readonly number[],
  of: (factor: number) => DataFactor,
): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>();
  const last = lastFactor(sizes);
  for (const factor of new Set([...factors, last])) {
    const left = targets.filter((target) => !found.has(target));
    if (left.length === 0) break;
    const outcome = await simulateTargets(
      { ...simulation, targets: left, samples: searchSamples },
      sizes.sampleOf(of(factor)),
    );
    for (const { target, probability } of outcome) if (probability >= searched) found.set(target, factor);
  }
  return found;
}

function unreached({ possible }: SimulatedTarget, factor: number): MissingData {
  if (possible <= hopeless) return { kind: "out_of_reach" };
  return possible >= likely ? { kind: "beyond", factor } : { kind: "not_known" };
}

/**
 * Finds by simulation the smallest multiple of the present data at which each uncertified target certifies. If even the
 * largest does not suffice, the samples show whether the risk is too high or the labels are inconclusive.
 */
export async function searchMissing(
  options: SearchOptions,
  now: readonly SimulatedTarget[],
): Promise<readonly PlannedTarget[]> {
  const { simulation, sizes } = options;
  const settled = simulation.fit.claim === "fixed-catalog";
  const lacking = now.filter(({ probability }) => probability < likely).map(({ target }) => target);
  const last = lastFactor(sizes);
  const atLast =
    lacking.length === 0
      ? []
      : await simulateTargets({ ...simulation, targets: lacking, samples: searchSamples }, sizes.sampleOf(both(last)));
  const reachable = atLast.filter(({ probability }) => probability >= searched).map(({ target }) => target);
  const [all, alone] = [
    await firstFactors(options, reachable, both),
    options.outOfScopeAlone
      ? await firstFactors(options, lacking, (factor) => ({ inScope: 1, outOfScope: factor }))
      : new Map<number, number>(),
  ];
  const missingOf = ({ target, probability }: SimulatedTarget): MissingData => {
    const simulated = atLast.find((one) => one.target === target);
    const [factor, ofOutOfScope] = [all.get(target), alone.get(target)];
    if (simulated === undefined) return { kind: "nothing" };
    if (ofOutOfScope !== undefined) {
      return { kind: "more_out_of_scope", out_of_scope: increment(ofOutOfScope, sizes.present, settled).out_of_scope };
    }
    if (probability >= open && (factor ?? last) > mostForOpen) return { kind: "not_known" };
    return factor === undefined
      ? unreached(simulated, last)
      : { kind: "more", ...increment(factor, sizes.present, settled) };
  };
  return now.map((one) => ({
    target: one.target,
    probability: one.probability,
    coverage: one.coverage,
    missing: missingOf(one),
  }));
}

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
