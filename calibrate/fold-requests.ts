import type { ScoredRecord } from "../src/documents/scored-record.js";
import type { FoldRequests } from "./claims/weighted-mix.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { ClaimKind } from "../src/documents/choices.js";

/** Number of requests per workflow and out-of-scope group, routable or not. */
export function foldRequests(records: readonly ScoredRecord[]): FoldRequests {
  const [inScope, outOfScope] = [new Map<string, number>(), new Map<string, number>()];
  for (const { cluster, workflow_id: workflowId } of records) {
    const side = workflowId === null ? outOfScope : inScope;
    side.set(cluster, (side.get(cluster) ?? 0) + 1);
  }
  return { inScope, outOfScope };
}

/**
 * The records that a claim counts. For claims about new workflows every record counts, because requests of a workflow
 * are not assumed to be independent. The claim "fixed-catalog" assumes independence, so it counts one record per
 * family: the one whose id has the smallest SHA-256, which does not depend on labels, scores or row order. Records with
 * a `retained` slice (removed from the data after they were scored) take precedence.
 */
export function countedRecords(records: readonly ScoredRecord[], claim: ClaimKind): readonly ScoredRecord[] {
  if (claim !== "fixed-catalog") return records;
  const chosen = new Map<string, { readonly id: string; readonly digest: string }>();
  for (const { id, family, slices } of records) {
    if (family === undefined) continue;
    const digest = `${slices["retained"] === undefined ? 1 : 0} ${sha256Hex(id)}`;
    const known = chosen.get(family);
    if (known === undefined || digest < known.digest) chosen.set(family, { id, digest });
  }
  return records.filter(({ id, family }) => family === undefined || chosen.get(family)?.id === id);
}
