import { Type } from "../base/typebox.js";
import type { Sha256 } from "../base/sha256.js";
import { PreviousRequestSchema } from "./request.js";
import { decisionKinds } from "./decision.js";
import { object, type ReadonlyStatic, WorkflowIdSchema } from "./primitives.js";

/** One labelled request of a dataset (a JSONL row). `workflow_id` null means out of scope. */
export const DatasetRowSchema = object({
  id: Type.String({ minLength: 1, maxLength: 160 }),
  text: Type.String({ minLength: 1, maxLength: 8000 }),
  workflow_id: Type.Union([WorkflowIdSchema, Type.Null()]),
  group_id: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 160 }), Type.Null()])),
  /** Workflow of the request before it in the same conversation, which `group_id` names. Only in a file of follow-ups. */
  previous: Type.Optional(PreviousRequestSchema),
  context: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  event_type: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  allowed_workflow_ids: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  expected_decision: Type.Optional(Type.Union([Type.Enum([...decisionKinds]), Type.Null()])),
  missing_inputs: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  slices: Type.Optional(Type.Record(Type.String(), Type.String())),
  /**
   * Confidence in [0, 1] at which an earlier calibration routed this request wrongly; set by a split. The request then
   * counts as wrong at the larger of this confidence and its own.
   */
  wrong_before: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  /** Why the owner withdrew a wrong label. The row is then in no fold, and approvers see the reason. */
  withdrawn: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
});
export type LabelledRequest = ReadonlyStatic<typeof DatasetRowSchema>;

/** A dataset with the digest of its canonical JSONL bytes. */
export interface Dataset {
  readonly sha256: Sha256;
  readonly rows: readonly LabelledRequest[];
}

/**
 * The cluster of a row: the conversation of a follow-up; otherwise its gold workflow, its out-of-scope group, or the row itself if it has neither. Rows of the
 * same cluster are not independent.
 */
export function clusterOf(row: Pick<LabelledRequest, "id" | "workflow_id" | "group_id" | "previous">): string {
  if (row.previous !== undefined) return `conversation:${row.group_id ?? row.id}`;
  if (row.workflow_id !== null) return `workflow:${row.workflow_id}`;
  if (row.group_id !== undefined && row.group_id !== null) return `group:${row.group_id}`;
  return `row:${row.id}`;
}
