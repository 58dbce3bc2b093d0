import { type Lineage, readLineage } from "./answer.js";
import { hasTypes, isObject, isTexts, type JsonObject } from "./json.js";
import type { RouteRequest } from "./request.js";

/** A workflow that a request may mean. */
export interface ShortlistedWorkflow {
  readonly workflowId: string;
  /** Calibrated probability that it is the right one. */
  readonly confidence: number;
  readonly missingInputs: readonly string[];
}

/** The workflows that a request may mean, best first; none where nothing fits. */
export interface Shortlist extends Lineage {
  readonly requestId: string;
  readonly workflows: readonly ShortlistedWorkflow[];
  /** Every workflow that reaches the certified thresholds is listed. */
  readonly complete: boolean;
  /** `SHORTLISTED`, or why nothing is listed. A later server may send other codes. */
  readonly reasonCode: string;
  /** Time inside the router. */
  readonly latencyMs: number;
}

const types = { request_id: "string", reason_code: "string", complete: "boolean", latency_ms: "number" } as const;

/** The shortlist in the body of a 200; null when the body is not one. */
export function readShortlist(body: JsonObject): Shortlist | null {
  const lineage = readLineage(body);
  const workflows = readWorkflows(body["workflows"]);
  if (lineage === null || workflows === null || !hasTypes(body, types)) return null;
  return {
    requestId: body["request_id"] as string,
    workflows,
    complete: body["complete"] as boolean,
    reasonCode: body["reason_code"] as string,
    latencyMs: body["latency_ms"] as number,
    ...lineage,
  };
}

function readWorkflows(value: unknown): readonly ShortlistedWorkflow[] | null {
  if (!Array.isArray(value)) return null;
  const workflows: ShortlistedWorkflow[] = [];
  for (const entry of value) {
    if (!isObject(entry)) return null;
    const { workflow_id: workflowId, confidence, missing_inputs: missingInputs } = entry;
    if (typeof workflowId !== "string" || !isTexts(missingInputs)) return null;
    if (typeof confidence !== "number" || !(confidence >= 0 && confidence <= 1)) return null;
    workflows.push({ workflowId, confidence, missingInputs });
  }
  return workflows;
}

/** Whether a shortlist can be one to this request: its id, its catalog, and only workflows that it allows. */
export function listsFor(request: RouteRequest, { requestId, catalogVersion, workflows }: Shortlist): boolean {
  // The service trims these texts.
  if (request.requestId !== undefined && requestId !== request.requestId.trim()) return false;
  if (request.catalogVersion !== undefined && catalogVersion !== request.catalogVersion.trim()) return false;
  const names = (ids: readonly string[] | undefined): ReadonlySet<string> | null =>
    ids === undefined ? null : new Set(ids.map((id) => id.trim()));
  const [allowed, blocked] = [names(request.allowedWorkflowIds), names(request.blockedWorkflowIds)];
  return workflows.every(({ workflowId: id }) => allowed?.has(id) !== false && blocked?.has(id) !== true);
}
