import type { WorkflowId } from "../../src/documents/primitives.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";

/** One request of a dialogue, from either file format. Workflows are named `Service.Intent`. */
export interface SgdRequest {
  readonly id: string;
  readonly text: string;
  readonly workflow: string;
  readonly part: string;
  /** Position of the turn in its dialogue; 0 is the first turn. */
  readonly turn: number;
  /** All intents of the dialogue's services. */
  readonly allowed: readonly string[];
  /** Inputs known at this turn, with their values. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Required inputs not known at this turn. */
  readonly missing: readonly string[];
}

/**
 * Converts a request to a row. The known inputs become the context; the slices are part, service, domain and whether
 * the turn opens the dialogue. The service is the part of the workflow name before the dot; the domain is the service
 * without its number.
 */
export function sgdRow(request: SgdRequest): LabelledRequest {
  const service = serviceOf(request.workflow);
  return {
    id: request.id,
    text: request.text,
    workflow_id: workflowIdOf(request.workflow),
    group_id: null,
    context: request.given,
    allowed_workflow_ids: [...new Set(request.allowed.map(workflowIdOf))],
    missing_inputs: request.missing,
    slices: {
      part: request.part,
      service,
      domain: domainOf(service),
      turn: request.turn === 0 ? "first" : "later",
    },
  };
}

/** The workflow id of `Service.Intent`: the name in lower case. */
export const workflowIdOf = (workflow: string): WorkflowId => workflow.toLowerCase() as WorkflowId;

export const serviceOf = (workflow: string): string => workflow.split(".")[0] ?? workflow;
export const domainOf = (service: string): string => service.replace(/_\d+$/, "");
