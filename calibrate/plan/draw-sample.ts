import type { SeededRandom } from "../../src/stats/seeded-random.js";
import type { TestedRequests } from "../certify-claims.js";
import type { RoutableRow } from "../routable.js";
import { type BelievedPopulation, believePopulation, type DrawnRequest, drawnRequests } from "./believed-population.js";
import type { PlanPopulation } from "./plan-population.js";

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
