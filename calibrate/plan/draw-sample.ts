import type { SeededRandom } from "../../src/base/numbers/seeded-random.js";
import type { TestedRequests } from "../certify-claims.js";
import type { RoutableRow } from "../routable.js";
import type { PlanPopulation, PlanCluster } from "./plan-population.js";

/**
 * Mean weight of unseen clusters. Resampling alone assumes that errors of an unseen kind do not exist, and is too
 * optimistic where errors are few.
 */
const unseenClusters = 0.25;
/**
 * The same of unseen requests. They have confident scores more often than others, so that up to half an error lies above
 * every threshold, as with the prior of Jeffreys: 60 labelled requests without an error may still be wrong in 2 %.
 */
const unseenRequests = 0.5;

/** One request as input to the tests; null when no threshold routes it. */
type DrawnRequest = RoutableRow | null;

/** Draws an index of a list, or -1 for unseen data. */
type IndexDraw = (random: SeededRandom) => number;

/**
 * One possible population that labelled units were drawn from: a random weight for each of them, and one for
 * unseen data (the Bayesian bootstrap of Rubin 1981 with a prior). Drawing a belief first and requests second keeps a
 * plan from treating chance in few labels as knowledge.
 */
function believe(units: number, unseenWeight: number, random: SeededRandom): IndexDraw {
  const sums = new Float64Array(units);
  let total = 0;
  for (let i = 0; i < units; i += 1) {
    total += -Math.log(1 - random.uniform());
    sums[i] = total;
  }
  const unseen = unseenWeight * random.normal() ** 2;
  return (draw) => {
    const at = draw.uniform() * (total + unseen);
    if (at >= total) return -1;
    let [low, high] = [0, units - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle] > at) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

const oneOf = <T>(items: readonly T[], random: SeededRandom): T => items[random.integer(0, items.length - 1)];

/** Every request of a cluster, those that nothing routes as null. */
function drawnRequests({ rows, requests }: PlanCluster): readonly DrawnRequest[] {
  const unroutable = Array.from({ length: Math.max(0, requests - rows.length) }, () => null);
  return [...rows, ...unroutable];
}

const wrong = (row: DrawnRequest): DrawnRequest => (row === null ? null : { ...row, error: true });

/** Clusters or single requests of a side, each with a model of unseen ones. */
interface BelievedSide {
  readonly drawCluster: (random: SeededRandom) => readonly DrawnRequest[];
  readonly drawRequest: (random: SeededRandom) => { readonly request: DrawnRequest; readonly cluster: string };
}

interface BelievedPopulation {
  readonly inScope: BelievedSide | null;
  readonly outOfScope: BelievedSide | null;
}

/** @param unlike  model of an unseen unit, given a seen one */
function believedSide(
  clusters: readonly PlanCluster[],
  random: SeededRandom,
  unlike: (row: DrawnRequest, random: SeededRandom) => DrawnRequest,
): BelievedSide | null {
  const whole = clusters.map(drawnRequests);
  const single = clusters.flatMap((cluster, i) =>
    (whole[i] ?? []).map((request) => ({ request, cluster: cluster.name })),
  );
  if (single.length === 0) return null;
  const byCluster = believe(whole.length, unseenClusters, random);
  const byRequest = believe(single.length, unseenRequests, random);
  const confident = single.toSorted((a, b) => (b.request?.confidence ?? -1) - (a.request?.confidence ?? -1));
  return {
    drawCluster: (draw) => {
      const index = byCluster(draw);
      return index < 0 ? oneOf(whole, draw).map((row) => unlike(row, draw)) : (whole[index] ?? []);
    },
    drawRequest: (draw) => {
      const index = byRequest(draw);
      if (index >= 0) return single[index];
      // The product of two uniform numbers is small more often than one.
      const { request, cluster } = confident[Math.floor(confident.length * draw.uniform() * draw.uniform())];
      return { request: unlike(request, draw), cluster };
    },
  };
}

/**
 * One belief about the requests behind labelled ones. An unseen workflow is wrong wherever it is routed; an unseen
 * out-of-scope group looks like in-scope requests.
 */
function believePopulation(population: PlanPopulation, random: SeededRandom): BelievedPopulation {
  const inside = population.inScope.flatMap(drawnRequests);
  return {
    inScope: believedSide(population.inScope, random, wrong),
    outOfScope: believedSide(population.outOfScope, random, (row, draw) => {
      const like = inside.length === 0 ? row : oneOf(inside, draw);
      return like === null ? null : { ...like, error: true, outOfScope: true };
    }),
  };
}

/** Workflows and out-of-scope groups, or requests in and out of scope. */
export interface NewUnits {
  readonly inScope: number;
  readonly outOfScope: number;
}

/** Data added to the labelled requests of a sample. */
export interface SampleSize {
  /** Whether the labelled requests themselves are tested, as those of TUNE are in a cross-fit. */
  readonly withLabelled: boolean;
  /** Unseen workflows and groups. */
  readonly clusters: NewUnits;
  /** Requests of each such workflow, in multiples of those of a labelled one. */
  readonly perWorkflow: number;
  /** Further requests to labelled workflows and groups. */
  readonly requests: NewUnits;
}

/** Collects tested requests. */
class Sample {
  readonly rows: RoutableRow[] = [];
  readonly inScope = new Map<string, number>();
  readonly outOfScope = new Map<string, number>();

  add(requests: readonly DrawnRequest[], cluster: string, outOfScope: boolean): void {
    const side = outOfScope ? this.outOfScope : this.inScope;
    side.set(cluster, (side.get(cluster) ?? 0) + requests.length);
    for (const row of requests) if (row !== null) this.rows.push({ ...row, cluster });
  }

  get tested(): TestedRequests {
    return { rows: this.rows, requests: { inScope: this.inScope, outOfScope: this.outOfScope } };
  }
}

/** A workflow resampled to another number of requests. */
function resized(requests: readonly DrawnRequest[], factor: number, random: SeededRandom): readonly DrawnRequest[] {
  if (factor === 1 || requests.length === 0) return requests;
  return Array.from(
    { length: Math.max(1, Math.round(factor * requests.length)) },
    () => requests[random.integer(0, requests.length - 1)],
  );
}

function addNew(sample: Sample, believed: BelievedPopulation, size: SampleSize, random: SeededRandom): void {
  for (const [name, outOfScope] of [
    ["inScope", false],
    ["outOfScope", true],
  ] as const) {
    const side = believed[name];
    if (side === null) continue;
    for (let i = 0; i < size.clusters[name]; i += 1) {
      const requests = side.drawCluster(random);
      sample.add(outOfScope ? requests : resized(requests, size.perWorkflow, random), `${name} ${i}`, outOfScope);
    }
    for (let i = 0; i < size.requests[name]; i += 1) {
      const { request, cluster } = side.drawRequest(random);
      sample.add([request], cluster, outOfScope);
    }
  }
}

/**
 * Requests that would be tested with this much data: the labelled ones, and others drawn from one belief about them.
 */
export function drawSample(population: PlanPopulation, size: SampleSize, random: SeededRandom): TestedRequests {
  const sample = new Sample();
  if (size.withLabelled) {
    for (const cluster of [...population.inScope, ...population.outOfScope]) {
      sample.add(drawnRequests(cluster), cluster.name, cluster.outOfScope);
    }
  }
  addNew(sample, believePopulation(population, random), size, random);
  return sample.tested;
}

/** Requests of a sample, routable or not. */
export function sampleRequests({ requests }: TestedRequests): number {
  const all = (sizes: ReadonlyMap<string, number>): number => [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return all(requests.inScope) + all(requests.outOfScope);
}
