import type { AbstainReason } from "../src/documents/calibration.js";
import { type ReasonCode, reasonCodes } from "../src/documents/decision.js";

const texts: Readonly<Record<ReasonCode, string>> = {
  ACCEPTED_LOW_RISK: "Routed to a workflow of tier low.",
  ACCEPTED_MEDIUM_RISK: "Routed to a workflow of tier medium.",
  ACCEPTED_HIGH_RISK: "Routed to a workflow of tier high.",
  ACCEPTED_CRITICAL_RISK: "Routed to a workflow of tier critical.",
  EXACT_EVENT_RULE: "Routed by the type of the event, without reading the text.",
  FOLLOW_UP_ACCEPTED: "The text follows another one, and leads to this workflow.",
  FOLLOW_UP_MISSING_INPUT: "The text follows another one, and leads to this workflow, but inputs are missing.",
  EXACT_EVENT_MISSING_INPUT: "The event names the workflow, but inputs are missing.",
  MISSING_REQUIRED_INPUT: "The workflow is clear, but inputs are missing.",
  ASK_BETWEEN: "The request may mean two or three workflows; the caller asks which.",
  RUNTIME_INTEGRITY_FAILURE: "The running bundle was changed or revoked, or is no longer approved.",
  CATALOG_VERSION_REQUIRED: "The caller named no catalog version.",
  WORKFLOW_ALLOWLIST_REQUIRED: "No list of allowed workflows was given.",
  DEBUG_DISABLED: "The policy refuses requests for debug details in production.",
  INVALID_CONTEXT: "The context of the request was invalid.",
  CONTEXT_TOO_LARGE: "The context of the request was too large.",
  NO_ELIGIBLE_WORKFLOW: "No workflow was allowed for this caller.",
  AMBIGUOUS_EVENT_RULE: "Several workflows declare this type of event.",
  LANGUAGE_NOT_CERTIFIED: "The text is in a language that the claim does not cover.",
  MULTI_ACTION_UNSUPPORTED: "The text seems to ask for two different workflows.",
  NEGATED_REQUEST: "The text says that this is not wanted.",
  NO_REQUEST: "The text only ends a conversation.",
  CONTEXT_NEEDED: "The text follows another one, and what it asks for is not certain enough.",
  INPUT_EXTRACTION_TIMEOUT: "Finding inputs in the text took too long.",
  BACKEND_UNAVAILABLE: "A model failed or took too long.",
  NO_WORKFLOW: "Nothing in the catalog was similar enough.",
  BETTER_MATCH_NOT_ALLOWED: "A workflow that this caller may not use matched better.",
  WORKFLOW_NOT_CERTIFIED: "The calibration has no evidence for this workflow.",
  LOW_CONFIDENCE_MISSING_INPUT: "Inputs are missing and the workflow is not clear enough to ask for them.",
  BELOW_RISK_THRESHOLD: "The confidence was below the tier's threshold, or the tier abstains.",
  AMBIGUOUS_CANDIDATES: "Two workflows were too close to each other.",
};

const abstentions: Readonly<Record<AbstainReason, string>> = {
  NO_ACCEPTED_ROWS: "no tested request could be routed",
  TOO_FEW_ROUTED: "too few requests can be routed",
  TOO_FEW_WORKFLOWS: "too few workflows have a routed request",
  RISK_NOT_CERTIFIED: "too many tested routes are wrong",
  RAISED_POINT_NOT_CERTIFIED: "no certified threshold is compatible with those of the other tiers",
  RISK_RISES_WITH_SCORE: "routes to workflows with higher scores are wrong more often than the scores imply",
};

/** Why a tier has no threshold, with the code. */
export const abstainText = (reason: AbstainReason): string => `${abstentions[reason]} (${reason})`;

function isReasonCode(code: string): code is ReasonCode {
  return Object.hasOwn(reasonCodes, code);
}

/** Describes a reason code; unknown codes give an empty text. */
export function reasonText(code: string): string {
  return isReasonCode(code) ? texts[code] : "";
}
