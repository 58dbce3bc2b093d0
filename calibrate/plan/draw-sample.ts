import type { SeededRandom } from "../../src/base/numbers/seeded-random.js";
import type { TestedRequests } from "../certify-claims.js";
import type { RoutableRow } from "../routable.js";

/**
 * Mean weight of unseen clusters. Resampling alone assumes that there are no errors of an unseen kind, which is too
 * optimistic if errors are few.
 */
const unseenClusters = 0.25;
/**
 * Mean weight of unseen requests. Their scores tend to be high, so that up to half an error lies above every threshold,
 * as with the Jeffreys prior: a source of 60 labelled requests without an error may still be wrong in 2%.
 */
const unseenRequests = 0.5;

/** One request as input to the tests; null if no threshold routes it. */
type DrawnRequest = RoutableRow | null;

/** Draws an index of a list, or -1 for unseen data. */
type IndexDraw = (random: SeededRandom) => number;

/**
 * Draws one possible population behind the labelled units: a random weight for each unit and one for unseen data (the
 * Bayesian bootstrap of Rubin 1981 with a prior). Drawing the population first and requests second makes a plan reflect
 * the uncertainty of few labels.
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

/** Every request of a cluster; null for requests that no threshold routes. */
function drawnRequests({ rows, requests }: PlanCluster): readonly DrawnRequest[] {
  const unroutable = Array.from({ length: Math.max(0, requests - rows.length) }, () => null);
  return [...rows, ...unroutable];
}

const wrong = (row: DrawnRequest): DrawnRequest => (row === null ? null : { ...row, error: true });

/** The requests of a family, or one without relatives. */
interface DrawnFamily {
  readonly requests: readonly DrawnRequest[];
  readonly cluster: string;
}

/** The requests of one side: whole clusters, families, and families by falling confidence of their first request. */
interface DrawnSide {
  readonly whole: readonly (readonly DrawnRequest[])[];
  readonly families: readonly DrawnFamily[];
  readonly confident: readonly DrawnFamily[];
}

/** @param requests  those of one cluster */
function familiesIn(requests: readonly DrawnRequest[], cluster: string): readonly DrawnFamily[] {
  const known = new Map<string, DrawnRequest[]>();
  const families: DrawnFamily[] = [];
  for (const request of requests) {
    const name = request?.family;
    const family = name === undefined ? undefined : known.get(name);
    if (family !== undefined) {
      family.push(request);
      continue;
    }
    const members = [request];
    if (name !== undefined) known.set(name, members);
    families.push({ requests: members, cluster });
  }
  return families;
}

const sides = new WeakMap<readonly PlanCluster[], DrawnSide>();

/** The requests of a side, prepared once for all samples. */
function drawnSide(clusters: readonly PlanCluster[]): DrawnSide {
  const known = sides.get(clusters);
  if (known !== undefined) return known;
  const whole = clusters.map(drawnRequests);
  const families = clusters.flatMap(({ name }, i) => familiesIn(whole[i] ?? [], name));
  const confident = families.toSorted((a, b) => (b.requests[0]?.confidence ?? -1) - (a.requests[0]?.confidence ?? -1));
  const side = { whole, families, confident };
  sides.set(clusters, side);
  return side;
}

/** The clusters and the families of one side, each drawn together with unseen ones. */
interface BelievedSide {
  readonly drawCluster: (random: SeededRandom) => readonly DrawnRequest[];
  readonly drawFamily: (random: SeededRandom) => DrawnFamily;
}

interface BelievedPopulation {
  readonly inScope: BelievedSide | null;
  readonly outOfScope: BelievedSide | null;
}

/** @param unlike  derives an unseen request from a seen one */
function believedSide(
  clusters: readonly PlanCluster[],
  random: SeededRandom,
  unlike: (row: DrawnRequest, random: SeededRandom) => DrawnRequest,
): BelievedSide | null {
  const { whole, families, confident } = drawnSide(clusters);
  if (families.length === 0) return null;
  const byCluster = believe(whole.length, unseenClusters, random);
  const byFamily = believe(families.length, unseenRequests, random);
  return {
    drawCluster: (draw) => {
      const index = byCluster(draw);
      return index < 0 ? oneOf(whole, draw).map((row) => unlike(row, draw)) : (whole[index] ?? []);
    },
    drawFamily: (draw) => {
      const index = byFamily(draw);
      if (index >= 0) return families[index];
      // The product of two uniform numbers is biased towards small values, which are the confident requests.
      const { requests, cluster } = confident[Math.floor(confident.length * draw.uniform() * draw.uniform())];
      return { requests: requests.map((request) => unlike(request, draw)), cluster };
    },
  };
}

/**
 * Draws one possible population behind the labelled requests. Requests of an unseen workflow are wrong whenever they
 * are routed; requests of an unseen out-of-scope group look like in-scope requests.
 */
function believePopulation(population: PlanPopulation, random: SeededRandom): BelievedPopulation {
  const inside = drawnSide(population.inScope).whole.flat();
  return {
    inScope: believedSide(population.inScope, random, wrong),
    outOfScope: believedSide(population.outOfScope, random, (row, draw) => {
      const like = inside.length === 0 ? row : oneOf(inside, draw);
      return like === null ? null : { ...like, error: true, outOfScope: true };
    }),
  };
}

/** Number of workflows and out-of-scope groups, or of in-scope and out-of-scope requests. */
export interface NewUnits {
  readonly inScope: number;
  readonly outOfScope: number;
}

/** Data added to the labelled requests of a sample. */
export interface SampleSize {
  /** Whether the labelled requests themselves are tested, like those of TUNE in a cross-fit. */
  readonly withLabelled: boolean;
  /** Number of unseen workflows and groups. */
  readonly clusters: NewUnits;
  /** Requests per unseen workflow, as a multiple of those of a labelled workflow. */
  readonly perWorkflow: number;
  /** Number of further requests to labelled workflows and groups. */
  readonly requests: NewUnits;
}

class Sample {
  readonly rows: RoutableRow[] = [];
  readonly inScope = new Map<string, number>();
  readonly outOfScope = new Map<string, number>();

  #drawn = 0;

  /** Adds labelled requests as they are. */
  add(requests: readonly DrawnRequest[], cluster: string, outOfScope: boolean): void {
    const side = outOfScope ? this.outOfScope : this.inScope;
    side.set(cluster, (side.get(cluster) ?? 0) + requests.length);
    for (const row of requests) if (row !== null) this.rows.push(row);
  }

  /** Adds drawn requests, which are relatives of each other at most. */
  addDrawn(requests: readonly DrawnRequest[], cluster: string, outOfScope: boolean): void {
    this.#drawn += 1;
    const named = (name: string | undefined) => name && `${this.#drawn} ${name}`;
    const renamed = (row: RoutableRow) => ({
      ...row,
      cluster,
      family: named(row.family),
      nearCopy: named(row.nearCopy),
    });
    this.add(
      requests.map((row) => (row === null ? null : renamed(row))),
      cluster,
      outOfScope,
    );
  }

  get tested(): TestedRequests {
    return { rows: this.rows, requests: { inScope: this.inScope, outOfScope: this.outOfScope } };
  }
}

const withoutRelatives = (row: DrawnRequest): DrawnRequest => (row === null ? null : { ...row, family: undefined });

/** Resamples the requests of a workflow to a multiple of their number. */
function resized(requests: readonly DrawnRequest[], factor: number, random: SeededRandom): readonly DrawnRequest[] {
  if (factor === 1 || requests.length === 0) return requests;
  return Array.from({ length: Math.max(1, Math.round(factor * requests.length)) }, () =>
    withoutRelatives(requests[random.integer(0, requests.length - 1)]),
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
      sample.addDrawn(outOfScope ? requests : resized(requests, size.perWorkflow, random), `${name} ${i}`, outOfScope);
    }
    for (let left = size.requests[name]; left > 0; ) {
      const { requests, cluster } = side.drawFamily(random);
      sample.addDrawn(requests.slice(0, left), outOfScope ? `${cluster} ${left}` : cluster, outOfScope);
      left -= requests.length;
    }
  }
}

/**
 * Draws the requests that would be tested with this much data: optionally the labelled ones, plus requests drawn from
 * one possible population behind them.
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

/** Number of requests of a sample, routable or not. */
export function sampleRequests({ requests }: TestedRequests): number {
  const all = (sizes: ReadonlyMap<string, number>): number => [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return all(requests.inScope) + all(requests.outOfScope);
}

/** A workflow or out-of-scope group with its scored requests. */
interface PlanCluster {
  readonly name: string;
  readonly outOfScope: boolean;
  /** Number of all requests of the cluster. */
  readonly requests: number;
  /** Requests that some threshold would route. */
  readonly rows: readonly RoutableRow[];
}

/** Scored requests with known labels, by cluster. A plan draws its samples from these. */
export interface PlanPopulation {
  readonly inScope: readonly PlanCluster[];
  readonly outOfScope: readonly PlanCluster[];
}

/** Groups scored requests by cluster. Clusters are sorted by name so that the order of the requests has no effect. */
export function planPopulation({ rows, requests }: TestedRequests): PlanPopulation {
  const byCluster = new Map<string, RoutableRow[]>();
  for (const row of rows) {
    const known = byCluster.get(row.cluster);
    if (known === undefined) byCluster.set(row.cluster, [row]);
    else known.push(row);
  }
  const side = (sizes: ReadonlyMap<string, number>, outOfScope: boolean): readonly PlanCluster[] =>
    [...sizes]
      .map(([name, size]) => ({ name, outOfScope, requests: size, rows: byCluster.get(name) ?? [] }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { inScope: side(requests.inScope, false), outOfScope: side(requests.outOfScope, true) };
}

/** Number of requests of several clusters, routable or not. */
export const requestsOf = (clusters: readonly PlanCluster[]): number =>
  clusters.reduce((sum, { requests }) => sum + requests, 0);
