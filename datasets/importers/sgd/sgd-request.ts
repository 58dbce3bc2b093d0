import type { WorkflowId } from "../../../src/documents/primitives.js";
import type { LabelledRequest } from "../../../src/documents/dataset.js";

/** One request of a dialogue, from any of the files. Workflows are `Service.Intent`. */
export interface SgdRequest {
  readonly id: string;
  readonly text: string;
  readonly workflow: string;
  readonly part: string;
  /** Position of the turn in its dialogue; 0 opens it. */
  readonly turn: number;
  /** Every intent of the services of the dialogue. */
  readonly allowed: readonly string[];
  /** Inputs that are known at this turn, with their values. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Required inputs that are not known at this turn. */
  readonly missing: readonly string[];
}

/**
 * A request as a row: the known inputs are the context, and the slices contain part, service, domain and whether the
 * turn opens the dialogue. The service is what precedes the dot in the workflow, and the domain is the service without
 * its number.
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

/** The workflow id of `Service.Intent`: the same in lower case. */
export const workflowIdOf = (workflow: string): WorkflowId => workflow.toLowerCase() as WorkflowId;

export const serviceOf = (workflow: string): string => workflow.split(".")[0] ?? workflow;
export const domainOf = (service: string): string => service.replace(/_\d+$/, "");
