import type { TestedRequests } from "../certify-claims.js";
import type { RoutableRow } from "../routable.js";

/** A workflow or out-of-scope group with its scored requests. */
export interface PlanCluster {
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
