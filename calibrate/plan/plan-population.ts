import type { TestedRequests } from "../certify-claims.js";
import type { RoutableRow } from "../routable.js";

/** A workflow or out-of-scope group with all its scored requests. */
export interface PlanCluster {
  readonly name: string;
  readonly outOfScope: boolean;
  /** All of its requests. */
  readonly requests: number;
  /** Those that some threshold would route. */
  readonly rows: readonly RoutableRow[];
}

/** Scored requests with known labels, by cluster; what a plan draws from. */
export interface PlanPopulation {
  readonly inScope: readonly PlanCluster[];
  readonly outOfScope: readonly PlanCluster[];
}

/** Groups scored requests by cluster. Clusters ascend by name, so that the order of the requests changes nothing. */
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

/** Requests of some clusters, routable or not. */
export const requestsOf = (clusters: readonly PlanCluster[]): number =>
  clusters.reduce((sum, { requests }) => sum + requests, 0);
