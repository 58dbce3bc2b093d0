import type { Catalog, RiskTier, Workflow } from "../domain/catalog.js";
import type { RouteRequest } from "../domain/request.js";

/**
 * Workflows that this request may be routed to: active, in an allowed tier, on the caller's list, not blocked.
 * A null list means that the caller gave none; an empty one allows nothing.
 */
export function eligibleWorkflows(
  catalog: Catalog,
  allowedTiers: readonly RiskTier[],
  request: Pick<RouteRequest, "allowedWorkflowIds" | "blockedWorkflowIds">,
): ReadonlyMap<string, Workflow> {
  const allowed = request.allowedWorkflowIds === null ? null : new Set(request.allowedWorkflowIds);
  const blocked = new Set(request.blockedWorkflowIds);
  const tiers = new Set(allowedTiers);
  const eligible = new Map<string, Workflow>();
  for (const workflow of catalog.workflows) {
    if (workflow.status !== "active" || !tiers.has(workflow.riskTier)) continue;
    if (blocked.has(workflow.workflowId)) continue;
    if (allowed !== null && !allowed.has(workflow.workflowId)) continue;
    eligible.set(workflow.workflowId, workflow);
  }
  return eligible;
}
