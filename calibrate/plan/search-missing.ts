import type { ClaimSizes, DataFactor } from "./plan-sizes.js";
import { type DataSize, likely, type MissingData, type PlannedTarget } from "../../src/documents/calibration-plan.js";
import type { FitOptions } from "../../src/documents/calibration.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { certifyTargets, signedTarget, type TestedClaim } from "../certify-claims.js";
import { drawSample, type SampleSize, sampleRequests, type PlanPopulation } from "./draw-sample.js";

/** Multiples of the present data that a search tries, in this order; more is no advice. */
const factors = [1.25, 1.5, 2, 3, 4, 6, 10] as const;
/** With a smaller chance at every multiple, more data is no advice. */
const even = 0.5;
/** A difference of chances that is not worth more data. */
const hardlyLess = 0.05;
/** How often the step between the first sufficient multiple and the one before it is halved. */
const refinements = 2;
/** Largest number of samples per size in a search. */
const mostSamples = 100;

const both = (factor: number): DataFactor => ({ inScope: factor, outOfScope: factor });

/** Maximum number of simulated certifications of a search, for progress. */
export const searchWork = (samples: number): number => Math.min(samples, mostSamples) * (factors.length + refinements);

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

/** The chance of a target at a multiple of the present data. */
interface Tried {
  readonly factor: number;
  readonly probability: number;
}

/** Tries multiples of the present data, each for the targets that no smaller one certifies. */
async function tryFactors(
  { simulation, sizes }: SearchOptions,
  targets: readonly number[],
  of: (factor: number) => DataFactor,
): Promise<ReadonlyMap<number, readonly Tried[]>> {
  const tried = new Map<number, readonly Tried[]>(targets.map((target) => [target, []]));
  const samples = Math.min(simulation.samples, mostSamples);
  for (const factor of factors) {
    const left = targets.filter((target) => (tried.get(target)?.at(-1)?.probability ?? 0) < likely);
    if (left.length === 0) break;
    const found = await simulateTargets({ ...simulation, targets: left, samples, even }, sizes.sampleOf(of(factor)));
    for (const { target, probability } of found) {
      tried.set(target, [...(tried.get(target) ?? []), { factor, probability }]);
    }
  }
  return tried;
}

/** The smallest multiple that certifies a target, or else the one that gives it its best chance. */
async function bestOf(tried: readonly Tried[], target: number, { simulation, sizes }: SearchOptions): Promise<Tried> {
  const most = Math.max(...tried.map(({ probability }) => probability));
  const first = tried.findIndex(({ probability }) => probability >= (most >= likely ? likely : most - hardlyLess));
  let best = tried[first];
  if (best.probability < likely) return best;
  let low = tried[first - 1]?.factor ?? 1;
  const samples = Math.min(simulation.samples, mostSamples);
  for (let i = 0; i < refinements; i += 1) {
    const factor = (low + best.factor) / 2;
    const [found] = await simulateTargets(
      { ...simulation, targets: [target], samples, even },
      sizes.sampleOf(both(factor)),
    );
    if ((found?.probability ?? 0) >= likely) best = { factor, probability: found?.probability ?? 0 };
    else low = factor;
  }
  return best;
}

/** Finds by simulation the data that each uncertified target is missing. */
export async function searchMissing(
  options: SearchOptions,
  now: readonly SimulatedTarget[],
): Promise<readonly PlannedTarget[]> {
  const { simulation, sizes } = options;
  const settled = simulation.fit.claim === "fixed-catalog";
  const lacking = now.filter(({ probability }) => probability < likely).map(({ target }) => target);
  const alone = options.outOfScopeAlone
    ? await tryFactors(options, lacking, (factor) => ({ inScope: 1, outOfScope: factor }))
    : new Map<number, readonly Tried[]>();
  const all = await tryFactors(options, lacking, both);
  const missingOf = async ({ target }: SimulatedTarget): Promise<MissingData> => {
    const tried = all.get(target);
    if (tried === undefined) return { kind: "nothing" };
    const outside = alone.get(target)?.find(({ probability }) => probability >= likely);
    if (outside !== undefined) {
      const { out_of_scope } = increment(outside.factor, sizes.present, settled);
      return { kind: "more_out_of_scope", out_of_scope };
    }
    const { factor, probability } = await bestOf(tried, target, options);
    if (probability < even) return { kind: "out_of_reach", probability };
    return { kind: "more", ...increment(factor, sizes.present, settled), probability };
  };
  const planned: PlannedTarget[] = [];
  for (const one of now) {
    const { target, probability, coverage } = one;
    planned.push({ target, probability, coverage, missing: await missingOf(one) });
  }
  return planned;
}

/** Result of certifying samples of one size for one target. Shares are in [0, 1]. */
export interface SimulatedTarget {
  readonly target: number;
  /** Share of the samples that certify. */
  readonly probability: number;
  /** Routed share of all requests in the samples that certify; null if none does. */
  readonly coverage: number | null;
}

export interface Simulation {
  readonly population: PlanPopulation;
  /** The procedure. Each target is planned by itself after the looser ones, unless `inSequence` is set. */
  readonly fit: FitOptions;
  /** Whether the targets are those of the sequence of the procedure, whose planned target stays. Default false. */
  readonly inSequence?: boolean;
  readonly targets: readonly number[];
  readonly samples: number;
  readonly seed: number;
  /** Stops once no target can reach this probability, which need not be exact then. Default: never. */
  readonly even?: number;
  /** Called after each sample; throwing cancels the simulation. */
  readonly afterSample: () => Promise<void>;
}

class Outcome {
  certified = 0;
  coverage = 0;

  add(claim: TestedClaim | undefined, target: number, requests: number): void {
    const shipped = claim?.tested.certified.at(-1);
    if (claim === undefined || shipped === undefined || signedTarget(claim) > target) return;
    this.certified += 1;
    this.coverage += shipped.routed / Math.max(1, requests);
  }
}

/** Applies the certification rule to samples of one size. The same seed gives the same samples. */
export async function simulateTargets(
  { population, fit, targets, samples, seed, even: needed = 0, inSequence = false, afterSample }: Simulation,
  size: SampleSize,
): Promise<readonly SimulatedTarget[]> {
  const outcomes = targets.map(() => new Outcome());
  const random = seededRandom(seed);
  const isOpen = (drawn: number): boolean =>
    outcomes.some(({ certified }) => drawn - certified <= (1 - needed) * samples);
  for (let i = 0; i < samples && isOpen(i); i += 1) {
    const tested = drawSample(population, size, random);
    const requests = sampleRequests(tested);
    const claims = certifyTargets(fit, inSequence ? [fit.target_risk] : targets, tested);
    for (const [at, target] of targets.entries()) {
      outcomes[at]?.add(claims[inSequence ? 0 : at], target, requests);
    }
    await afterSample();
  }
  return targets.map((target, at) => {
    const { certified, coverage } = outcomes[at];
    return {
      target,
      probability: certified / samples,
      coverage: certified === 0 ? null : coverage / certified,
    };
  });
}
