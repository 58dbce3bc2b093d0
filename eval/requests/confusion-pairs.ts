import type { DecidedRequest } from "./decided-request.js";
import { firstWorkflow } from "./decided-request.js";

/** Requests of one workflow for which a different workflow ranked first. */
export interface ConfusionPair {
  /** null: out of scope. */
  readonly right_workflow_id: string | null;
  readonly first_workflow_id: string;
  /**
   * Requests for which the wrong workflow ranked first; if out of scope, only those that were routed or asked about.
   */
  readonly requests: number;
  /** Number of these requests that were routed to the wrong workflow. */
  readonly routed: number;
  /** Number of all requests of the right workflow, or of all out-of-scope requests. */
  readonly of: number;
}

/** Every confused pair, sorted by wrong routes (most first), then requests (most first), then name. */
export function confusionPairs(requests: readonly DecidedRequest[]): readonly ConfusionPair[] {
  const totals = new Map<string | null, number>();
  const pairs = new Map<string, { right: string | null; first: string; requests: number; routed: number }>();
  for (const request of requests) {
    if (request.outcome === null) continue;
    const right = request.record.workflow_id;
    totals.set(right, (totals.get(right) ?? 0) + 1);
    const first = firstWorkflow(request);
    if (first === null || !isConfused(request)) continue;
    const key = JSON.stringify([right, first]);
    const pair = pairs.get(key) ?? { right, first, requests: 0, routed: 0 };
    pair.requests += 1;
    if (request.outcome.decision?.decision === "ROUTE") pair.routed += 1;
    pairs.set(key, pair);
  }
  return [...pairs]
    .sort(([x, a], [y, b]) => b.routed - a.routed || b.requests - a.requests || (x < y ? -1 : 1))
    .map(([, { right, first, requests: count, routed }]) => ({
      right_workflow_id: right,
      first_workflow_id: first,
      requests: count,
      routed,
      of: totals.get(right) ?? 0,
    }));
}

function isConfused({ outcome }: DecidedRequest): boolean {
  if (outcome === null) return false;
  if (outcome.inScope) return !outcome.topIsRight;
  return outcome.decision !== null && outcome.decision.decision !== "LLM_REQUIRED";
}
