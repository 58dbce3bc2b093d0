import type { RiskTier } from "./choices.js";
import type { WorkflowId } from "./primitives.js";

export const decisionKinds = ["ROUTE", "CLARIFY", "LLM_REQUIRED"] as const;
export type DecisionKind = (typeof decisionKinds)[number];

/** Every reason code, with the decision it belongs to. */
export const reasonCodes = {
  ACCEPTED_LOW_RISK: "ROUTE",
  ACCEPTED_MEDIUM_RISK: "ROUTE",
  ACCEPTED_HIGH_RISK: "ROUTE",
  ACCEPTED_CRITICAL_RISK: "ROUTE",
  EXACT_EVENT_RULE: "ROUTE",
  FOLLOW_UP_ACCEPTED: "ROUTE",
  EXACT_EVENT_MISSING_INPUT: "CLARIFY",
  MISSING_REQUIRED_INPUT: "CLARIFY",
  FOLLOW_UP_MISSING_INPUT: "CLARIFY",
  ASK_BETWEEN: "CLARIFY",
  RUNTIME_INTEGRITY_FAILURE: "LLM_REQUIRED",
  CATALOG_VERSION_REQUIRED: "LLM_REQUIRED",
  WORKFLOW_ALLOWLIST_REQUIRED: "LLM_REQUIRED",
  DEBUG_DISABLED: "LLM_REQUIRED",
  INVALID_CONTEXT: "LLM_REQUIRED",
  CONTEXT_TOO_LARGE: "LLM_REQUIRED",
  NO_ELIGIBLE_WORKFLOW: "LLM_REQUIRED",
  AMBIGUOUS_EVENT_RULE: "LLM_REQUIRED",
  LANGUAGE_NOT_CERTIFIED: "LLM_REQUIRED",
  MULTI_ACTION_UNSUPPORTED: "LLM_REQUIRED",
  NEGATED_REQUEST: "LLM_REQUIRED",
  NO_REQUEST: "LLM_REQUIRED",
  CONTEXT_NEEDED: "LLM_REQUIRED",
  INPUT_EXTRACTION_TIMEOUT: "LLM_REQUIRED",
  BACKEND_UNAVAILABLE: "LLM_REQUIRED",
  NO_WORKFLOW: "LLM_REQUIRED",
  BETTER_MATCH_NOT_ALLOWED: "LLM_REQUIRED",
  WORKFLOW_NOT_CERTIFIED: "LLM_REQUIRED",
  LOW_CONFIDENCE_MISSING_INPUT: "LLM_REQUIRED",
  BELOW_RISK_THRESHOLD: "LLM_REQUIRED",
  AMBIGUOUS_CANDIDATES: "LLM_REQUIRED",
} as const satisfies Record<string, DecisionKind>;
export type ReasonCode = keyof typeof reasonCodes;

/** Numbers that the verifier read of one candidate, by name. */
export interface VerifierFeatures {
  /** One list for all candidates of a verifier. */
  readonly names: readonly string[];
  /** One number per name, exactly representable in 32 bits. */
  readonly values: readonly number[];
}

export interface ScoredCandidate {
  readonly workflow_id: WorkflowId;
  readonly risk_tier: RiskTier;
  /** false for an ineligible competitor, which outranks eligible candidates but is never chosen, returned or logged. */
  readonly eligible: boolean;
  /** Retriever score, on the retriever's scale; higher is better. */
  readonly retrieval_score: number;
  /** Verifier logits, on the natural log scale. */
  readonly logits: { readonly mismatch: number; readonly needs_input: number; readonly executable: number };
  /** Required inputs found neither in the context nor by patterns, in catalog order. */
  readonly missing_inputs: readonly string[];
  /** Whether the pattern budget ran out before this candidate's inputs were resolved. */
  readonly input_timeout: boolean;
  /** Only for the first eligible candidate, and only with a verifier of kind `linear`. */
  readonly features?: VerifierFeatures;
}

/** A candidate after calibration. `confidence` is rounded to 6 decimals; decisions compare the rounded number. */
export interface CalibratedCandidate extends ScoredCandidate {
  readonly confidence: number;
}

/** What a text says besides one wish, which scores do not show. */
export interface OtherWishes {
  /** Workflow of what the text says is not wanted; absent if it says so of none. */
  readonly negated?: WorkflowId;
  /** Log odds of two wishes for different workflows, 6 decimals; absent if the text has no sign of them. */
  readonly several?: number;
}

/** What is known about a request that follows another one of the same conversation. */
export interface FollowUp {
  /** Workflow that served the request before it; null if none did, or none that the caller may use. */
  readonly previous: WorkflowId | null;
  /** Whether that workflow is the last candidate, and would be none for the text alone. */
  readonly joined: boolean;
  /** Log odds that the text only ends the conversation, such as "thanks, that's all"; 0 without a detector. */
  readonly closing: number;
  /** Log odds that the text states a wish of its own; 0 without a detector. */
  readonly new_wish: number;
}

/** What `decide()` reads of a scored request. */
export interface ScoredText extends OtherWishes {
  /** Absent for a request that stands alone. */
  readonly followUp?: FollowUp;
  /** Any order; eligible ones and ineligible competitors. */
  readonly candidates: readonly ScoredCandidate[];
  /** Languages that the text may be in, best first, as ISO 639-1; absent if it is too short to tell. */
  readonly languages?: readonly string[];
}

/** The outcome of `decide()`: pure data, identical offline and online. */
export interface Decision {
  readonly decision: DecisionKind;
  readonly reason_code: ReasonCode;
  /** Set for ROUTE and CLARIFY; null for LLM_REQUIRED and `ASK_BETWEEN`. */
  readonly workflow_id: WorkflowId | null;
  /**
   * Calibrated probability that the top candidate is the right workflow, in [0, 1], 6 decimals; 0 if none was scored.
   */
  readonly confidence: number;
  /** Confidence of the top candidate minus that of the runner-up; null without a runner-up. */
  readonly margin: number | null;
  readonly missing_inputs: readonly string[];
  /** Tier of the top candidate; null if none was scored. */
  readonly risk_tier: RiskTier | null;
  /** The language whose threshold was compared; absent if all share those of the tiers. */
  readonly language?: string;
  /** With `NEGATED_REQUEST` only: the workflow that is not wanted. */
  readonly negated_workflow_id?: WorkflowId;
}
