import { Type } from "../base/typebox.js";
import type { ReasonCode } from "./decision.js";
import { object, ProbabilitySchema, type ReadonlyStatic, WorkflowIdSchema } from "./primitives.js";

/** Reason codes of answers with and without a shortlist. Those shared with `POST /v1/route` have the same meaning. */
export const shortlistReasons = [
  "SHORTLISTED",
  "EXACT_EVENT_RULE",
  "EXACT_EVENT_MISSING_INPUT",
  "SHORTLIST_NOT_CERTIFIED",
  "RUNTIME_INTEGRITY_FAILURE",
  "CATALOG_VERSION_REQUIRED",
  "WORKFLOW_ALLOWLIST_REQUIRED",
  "DEBUG_DISABLED",
  "INVALID_CONTEXT",
  "CONTEXT_TOO_LARGE",
  "NO_ELIGIBLE_WORKFLOW",
  "AMBIGUOUS_EVENT_RULE",
  "NO_REQUEST",
  "CONTEXT_NEEDED",
  "LANGUAGE_NOT_CERTIFIED",
  "INPUT_EXTRACTION_TIMEOUT",
  "BACKEND_UNAVAILABLE",
  "NO_WORKFLOW",
  "BETTER_MATCH_NOT_ALLOWED",
  "WORKFLOW_NOT_CERTIFIED",
] as const satisfies readonly ShortlistReason[];
export type ShortlistReason = "SHORTLISTED" | "SHORTLIST_NOT_CERTIFIED" | ReasonCode;

export const ShortlistedSchema = object({
  workflow_id: WorkflowIdSchema,
  /** Calibrated probability that this workflow is the right one, in [0, 1], 6 decimals. */
  confidence: ProbabilitySchema,
  /** Required inputs found neither in the context nor in the text, in catalog order. */
  missing_inputs: Type.Array(Type.String()),
});
export type ShortlistedWorkflow = ReadonlyStatic<typeof ShortlistedSchema>;

/** The workflows that the request may mean, best first; empty if none fits. */
export interface Shortlist {
  readonly workflows: readonly ShortlistedWorkflow[];
  /** Whether every workflow that reaches the certified thresholds is listed; false for an empty list. */
  readonly complete: boolean;
  readonly reason_code: ShortlistReason;
}
