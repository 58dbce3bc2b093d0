import type { ScoredRecord } from "../src/documents/scored-record.js";
import type { FoldRequests } from "./claims/weighted-mix.js";

/** Number of requests per workflow and out-of-scope group, routable or not. */
export function foldRequests(records: readonly ScoredRecord[]): FoldRequests {
  const [inScope, outOfScope] = [new Map<string, number>(), new Map<string, number>()];
  for (const { cluster, workflow_id: workflowId } of records) {
    const side = workflowId === null ? outOfScope : inScope;
    side.set(cluster, (side.get(cluster) ?? 0) + 1);
  }
  return { inScope, outOfScope };
}
