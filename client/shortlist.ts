import { type Lineage, readLineage, readListed, type ShortlistedWorkflow } from "./answer.js";
import { hasTypes, type JsonObject } from "./fetch.js";
import type { RouteRequest } from "./request.js";

/** The workflows that the request may mean, best first; empty if none fits. */
export interface Shortlist extends Lineage {
  readonly request_id: string;
  readonly workflows: readonly ShortlistedWorkflow[];
  /** Whether every workflow that reaches the certified thresholds is listed. */
  readonly complete: boolean;
  /** `SHORTLISTED`, or why nothing is listed. A newer server may send other codes. */
  readonly reason_code: string;
  /** Time spent in the router, in milliseconds. */
  readonly latency_ms: number;
}

const types = { request_id: "string", reason_code: "string", complete: "boolean", latency_ms: "number" } as const;

/** Reads the shortlist from the body of a 200 response; null if the body is not a shortlist. */
export function readShortlist(body: JsonObject): Shortlist | null {
  const lineage = readLineage(body);
  const workflows = readListed(body["workflows"]);
  if (lineage === null || workflows === null || !hasTypes(body, types)) return null;
  return {
    request_id: body["request_id"] as string,
    workflows,
    complete: body["complete"] as boolean,
    reason_code: body["reason_code"] as string,
    latency_ms: body["latency_ms"] as number,
    ...lineage,
  };
}

/**
 * Whether the shortlist belongs to this request: same id, same catalog version, and only workflows that the request
 * allows.
 */
export function listsFor(
  request: RouteRequest,
  { request_id: requestId, catalog_version: catalogVersion, workflows }: Shortlist,
): boolean {
  // The service trims the id and the catalog version.
  if (request.request_id !== undefined && requestId !== request.request_id.trim()) return false;
  if (request.catalog_version !== undefined && catalogVersion !== request.catalog_version.trim()) return false;
  const names = (ids: readonly string[] | undefined): ReadonlySet<string> | null =>
    ids === undefined ? null : new Set(ids.map((id) => id.trim()));
  const [allowed, blocked] = [names(request.allowed_workflow_ids), names(request.blocked_workflow_ids)];
  return workflows.every(({ workflow_id: id }) => allowed?.has(id) !== false && blocked?.has(id) !== true);
}
