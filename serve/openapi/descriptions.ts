import type { RouteRequestWire } from "../../src/domain/request.js";
import type {
  CandidateWire,
  HealthWire,
  NotReadyWire,
  RouteResponseWire,
  ShortlistedWire,
  ShortlistResponseWire,
} from "../response-body.js";

type Words<T> = Readonly<Record<keyof T, string>>;

/** What each field of a request means. */
export const requestWords: Words<RouteRequestWire> = {
  text: "The request in plain words, 1 to 8,000 characters, not blank.",
  request_id: "Id of the caller for this request; without one the header x-request-id or a new id is used.",
  context:
    "Known input values by name, at most 32 levels deep; at no level a field __proto__, or a constructor that holds a field prototype. The caller validates them again before execution.",
  catalog_version:
    "Version that the caller knows; if it is not the active version, the response is 409. Production declines without it.",
  allowed_workflow_ids:
    "Workflows that may be chosen. Narrows what the caller may use, never widens it; empty allows none. Without it the caller may use what the authorizer grants.",
  blocked_workflow_ids: "Workflows that must not be chosen.",
  event_type:
    "Type of an event. Ignored unless the signed policy, the server and the grant of the caller allow events.",
  debug: "Shows the candidates, in development only.",
};

/** What each field of a decision means. */
export const responseWords: Words<RouteResponseWire> = {
  request_id: "Id of this request, also in the header x-request-id.",
  decision: "ROUTE: run the workflow. CLARIFY: ask for the missing inputs. LLM_REQUIRED: declined, use a fallback.",
  workflow_id: "The workflow; null with LLM_REQUIRED.",
  confidence: "Calibrated probability that the best candidate is right; 0 when none was scored.",
  reason_code: "Why. New codes may be added; treat an unknown one by its decision.",
  missing_inputs: "Names of required inputs to ask for; empty when none.",
  confirmation_required: "The catalog wants a confirmation before the workflow runs.",
  model_version: "Versions of retriever and verifier.",
  calibration_version: "Version of the thresholds that decided.",
  catalog_version: "Version of the catalog that decided.",
  runtime_mode: "development or production.",
  latency_ms: "Time inside the router, milliseconds.",
  candidates: "Candidates in decision order; null unless debug is honoured.",
};

/** What each field of a shortlist means. */
export const shortlistWords: Words<ShortlistResponseWire> = {
  request_id: responseWords.request_id,
  workflows: "The workflows that may be meant, best first; empty where nothing fits, or where reason_code says why.",
  complete:
    "Every workflow that reaches the certified thresholds is listed; false where the list is empty or cut, or where one may not be listed.",
  reason_code: "SHORTLISTED, or why the list is empty. New codes may be added.",
  model_version: responseWords.model_version,
  calibration_version: responseWords.calibration_version,
  catalog_version: responseWords.catalog_version,
  runtime_mode: responseWords.runtime_mode,
  latency_ms: responseWords.latency_ms,
};

/** What each field of a workflow of a shortlist means. */
export const shortlistedWords: Words<ShortlistedWire> = {
  workflow_id: "The workflow, one that the caller may use.",
  confidence: "Calibrated probability that it is the right one; of the first, that of POST /v1/route.",
  missing_inputs: "Names of required inputs that neither context nor text gave.",
};

/** What each field of the health of the active bundle means. */
export const healthWords: Words<Required<HealthWire>> = {
  status: "ok when ready; drifting when ready, but live decisions differ from what was certified; not_ready otherwise.",
  ready: "Whether the active bundle is in order and the server takes traffic.",
  model_version: responseWords.model_version,
  calibration_version: responseWords.calibration_version,
  catalog_version: responseWords.catalog_version,
  runtime_mode: responseWords.runtime_mode,
  generation: "Grows by one with each replacement and each rollback.",
  demonstration:
    "Present, and true, when the bundle is signed with demonstration keys and not approved for production.",
};

/** What each field of the health of a server that is not ready means. */
export const notReadyWords: Words<NotReadyWire> = {
  ...healthWords,
  problems: "What keeps the server from being ready; names the files of the bundle that were changed.",
};

/** What each field of a candidate means. */
export const candidateWords: Words<CandidateWire> = {
  workflow_id: "The candidate.",
  rank: "Place in decision order, from 1.",
  risk_tier: "Tier of the catalog.",
  retrieval_score: "Score of the retriever, on its own scale.",
  executable_score: "Share of the verifier for: fits.",
  needs_input_score: "Share of the verifier for: fits, inputs missing.",
  mismatch_score: "Share of the verifier for: does not fit.",
  label: "Label of the verifier.",
  confidence: "Calibrated probability that this candidate is right.",
  confidence_threshold: "Confidence that its tier needs; null where the tier abstains.",
  margin_threshold: "Distance to the next candidate that its tier needs; null where the tier abstains.",
  missing_inputs: "Names of required inputs that are missing.",
};
