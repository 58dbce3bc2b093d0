import type { Catalog, Workflow } from "../../documents/catalog.js";
import type { RiskTier } from "../../documents/choices.js";
import type { RouteRequest } from "../../documents/request.js";

/**
 * The workflows that a catalog serves, sorted by id, so that retrievers and eligibility number them alike and sums over
 * them do not depend on the order of the catalog.
 */
export const activeWorkflows = (catalog: Catalog): readonly Workflow[] =>
  catalog.workflows
    .filter((workflow) => workflow.status === "active")
    .toSorted((a, b) => (a.workflow_id < b.workflow_id ? -1 : 1));

export interface EligibleWorkflows {
  readonly size: number;
  has(workflowId: string): boolean;
  /** @param position position of a workflow in `activeWorkflows` */
  hasPosition(position: number): boolean;
  /** 1 for each of `activeWorkflows` that is eligible, otherwise 0. Must not be modified. */
  readonly mask: Uint8Array;
  /** Eligible workflows that declare the event, sorted by id. */
  declaring(eventType: string): readonly Workflow[];
}

/** Values that are the same for all requests. */
interface Prepared {
  /** Position of each active workflow. */
  readonly positions: ReadonlyMap<string, number>;
  readonly byEvent: ReadonlyMap<string, readonly Workflow[]>;
}

/**
 * Eligibility in a catalog under a policy. Prepared once, so that the cost per request depends only on its own lists.
 */
export class Eligibility {
  private readonly prepared: Prepared;
  /** 1 for each active workflow in a permitted tier, 0 for the other active ones. */
  private readonly base: Uint8Array;
  private readonly everything: EligibleWorkflows;
  /** Results of lists that cannot change. */
  private readonly ofLists = new WeakMap<readonly string[], EligibleWorkflows>();

  constructor(catalog: Catalog, allowedTiers: readonly RiskTier[]) {
    const active = activeWorkflows(catalog);
    this.prepared = {
      positions: new Map(active.map(({ workflow_id: workflowId }, position) => [workflowId, position])),
      byEvent: byEventType(active),
    };
    this.base = Uint8Array.from(active, ({ risk_tier: riskTier }) => (allowedTiers.includes(riskTier) ? 1 : 0));
    this.everything = new EligibleMask(this.prepared, this.base);
  }

  /**
   * Workflows that are active, in a permitted tier, on the caller's list and not blocked; unknown ids are ignored. null
   * means that the caller sent no list; an empty list allows nothing.
   */
  of(request: Pick<RouteRequest, "allowed_workflow_ids" | "blocked_workflow_ids">): EligibleWorkflows {
    const { allowed_workflow_ids: allowedWorkflowIds, blocked_workflow_ids: blockedWorkflowIds } = request;
    if (allowedWorkflowIds === null && blockedWorkflowIds.length === 0) return this.everything;
    if (allowedWorkflowIds !== null && blockedWorkflowIds.length === 0) return this.ofList(allowedWorkflowIds);
    const mask = allowedWorkflowIds === null ? this.base.slice() : this.listed(allowedWorkflowIds);
    for (const workflowId of blockedWorkflowIds) {
      const position = this.prepared.positions.get(workflowId);
      if (position !== undefined) mask[position] = 0;
    }
    return new EligibleMask(this.prepared, mask);
  }

  private ofList(workflowIds: readonly string[]): EligibleWorkflows {
    const known = this.ofLists.get(workflowIds);
    if (known !== undefined) return known;
    const found = new EligibleMask(this.prepared, this.listed(workflowIds));
    if (Object.isFrozen(workflowIds)) this.ofLists.set(workflowIds, found);
    return found;
  }

  private listed(workflowIds: readonly string[]): Uint8Array {
    const mask = new Uint8Array(this.base.length);
    for (const workflowId of workflowIds) {
      const position = this.prepared.positions.get(workflowId);
      if (position !== undefined) mask[position] = this.base[position] as number;
    }
    return mask;
  }
}

class EligibleMask implements EligibleWorkflows {
  readonly size: number;
  private readonly prepared: Prepared;
  readonly mask: Uint8Array;

  constructor(prepared: Prepared, mask: Uint8Array) {
    this.prepared = prepared;
    this.mask = mask;
    let size = 0;
    for (let position = 0; position < mask.length; position += 1) size += mask[position] as number;
    this.size = size;
  }

  has(workflowId: string): boolean {
    const position = this.prepared.positions.get(workflowId);
    return position !== undefined && this.hasPosition(position);
  }

  hasPosition(position: number): boolean {
    return this.mask[position] === 1;
  }

  declaring(eventType: string): readonly Workflow[] {
    return (this.prepared.byEvent.get(eventType) ?? []).filter(({ workflow_id: workflowId }) => this.has(workflowId));
  }
}

function byEventType(workflows: readonly Workflow[]): ReadonlyMap<string, readonly Workflow[]> {
  const byEvent = new Map<string, Workflow[]>();
  for (const workflow of workflows) {
    for (const eventType of new Set(workflow.event_types)) {
      const declaring = byEvent.get(eventType);
      if (declaring === undefined) byEvent.set(eventType, [workflow]);
      else declaring.push(workflow);
    }
  }
  return byEvent;
}

/**
 * Whether a calibration has evidence about a workflow. Uses binary search.
 * @param certifiedWorkflows  in ascending order; null or undefined if the claim does not depend on the workflow
 */
export function isCertifiedWorkflow(
  workflowId: string,
  certifiedWorkflows: readonly string[] | null | undefined,
): boolean {
  if (certifiedWorkflows === undefined || certifiedWorkflows === null) return true;
  let [low, high] = [0, certifiedWorkflows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((certifiedWorkflows[middle] as string) < workflowId) low = middle + 1;
    else high = middle;
  }
  return certifiedWorkflows[low] === workflowId;
}
