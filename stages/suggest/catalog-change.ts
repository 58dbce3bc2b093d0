import type { WorkflowId } from "../../src/documents/primitives.js";

/**
 * One edit of a catalog. Contains request texts: written only to files that the operator names, and printed only on
 * request.
 */
export type CatalogChange =
  | { readonly kind: "add_examples"; readonly workflow_id: WorkflowId; readonly examples: readonly string[] }
  | { readonly kind: "move_example"; readonly from: WorkflowId; readonly to: WorkflowId; readonly example: string }
  | { readonly kind: "merge"; readonly into: WorkflowId; readonly from: WorkflowId }
  | { readonly kind: "describe"; readonly workflow_id: WorkflowId; readonly capability: string };
