// Generated from docs/openapi.json; a test rewrites it with UPDATE_GOLDEN=1.

export interface RouteRequest {
  /** The request in plain words, 1 to 8,000 characters, not blank. */
  readonly text: string;
  /** Id of the caller for this request; without one the header x-request-id or a new id is used. */
  readonly request_id?: string | null;
  /** Known input values by name, at most 32 levels deep; no level may have a field __proto__, or a constructor with a field prototype. The caller validates them again before execution. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Version that the caller knows; if it is not the active version, the response is 409. Production declines without it. */
  readonly catalog_version?: string | null;
  /** Workflows that may be chosen. Narrows what the caller may use, never widens it; empty allows none. Without it the caller may use what the authorizer grants. */
  readonly allowed_workflow_ids?: readonly string[] | null;
  /** Workflows that must not be chosen. */
  readonly blocked_workflow_ids?: readonly string[];
  /** Type of an event. Ignored unless the signed policy, the server and the grant of the caller allow events. */
  readonly event_type?: string | null;
  /** Says that the text follows another one of the same conversation, and names the workflow that served that one; null if none did. An id that the caller may not use counts as null. */
  readonly previous?: Readonly<Record<string, unknown>> | null;
  /** Language of the text as a BCP 47 tag. By default it is read from the text. A text in a language that the claim does not cover is declined. */
  readonly language?: string | null;
  /** Shows the candidates, in development only. */
  readonly debug?: boolean;
}

export interface RouteResponse {
  /** Id of this request, also in the header x-request-id. */
  readonly request_id: string;
  /** ROUTE: run the workflow. CLARIFY: ask for the missing inputs, or which workflow is meant. LLM_REQUIRED: declined, use a fallback. */
  readonly decision: "ROUTE" | "CLARIFY" | "LLM_REQUIRED";
  /** The workflow; null with LLM_REQUIRED and ASK_BETWEEN. */
  readonly workflow_id: string | null;
  /** Calibrated probability that the best candidate is right; 0 when none was scored. */
  readonly confidence: number;
  /** Why. New codes may be added; treat an unknown one by its decision. */
  readonly reason_code:
    | "ACCEPTED_LOW_RISK"
    | "ACCEPTED_MEDIUM_RISK"
    | "ACCEPTED_HIGH_RISK"
    | "ACCEPTED_CRITICAL_RISK"
    | "EXACT_EVENT_RULE"
    | "FOLLOW_UP_ACCEPTED"
    | "EXACT_EVENT_MISSING_INPUT"
    | "MISSING_REQUIRED_INPUT"
    | "FOLLOW_UP_MISSING_INPUT"
    | "ASK_BETWEEN"
    | "RUNTIME_INTEGRITY_FAILURE"
    | "CATALOG_VERSION_REQUIRED"
    | "WORKFLOW_ALLOWLIST_REQUIRED"
    | "DEBUG_DISABLED"
    | "INVALID_CONTEXT"
    | "CONTEXT_TOO_LARGE"
    | "NO_ELIGIBLE_WORKFLOW"
    | "AMBIGUOUS_EVENT_RULE"
    | "LANGUAGE_NOT_CERTIFIED"
    | "MULTI_ACTION_UNSUPPORTED"
    | "NEGATED_REQUEST"
    | "NO_REQUEST"
    | "CONTEXT_NEEDED"
    | "INPUT_EXTRACTION_TIMEOUT"
    | "BACKEND_UNAVAILABLE"
    | "NO_WORKFLOW"
    | "BETTER_MATCH_NOT_ALLOWED"
    | "WORKFLOW_NOT_CERTIFIED"
    | "LOW_CONFIDENCE_MISSING_INPUT"
    | "BELOW_RISK_THRESHOLD"
    | "AMBIGUOUS_CANDIDATES";
  /** Names of required inputs to ask for; empty when none. */
  readonly missing_inputs: readonly string[];
  /** The workflow needs a confirmation before it runs. */
  readonly confirmation_required: boolean;
  /** Versions of retriever and verifier. */
  readonly model_version: string;
  /** Version of the thresholds that decided. */
  readonly calibration_version: string;
  /** Version of the catalog that decided. */
  readonly catalog_version: string;
  /** development or production. */
  readonly runtime_mode: "development" | "production";
  /** Time inside the router, milliseconds. */
  readonly latency_ms: number;
  /** Candidates in decision order; null unless debug is honoured. */
  readonly candidates: readonly Candidate[] | null;
  /** With NEGATED_REQUEST only: the workflow that the text says is not wanted. */
  readonly negated_workflow_id?: string;
  /** With MULTI_ACTION_UNSUPPORTED only: the two wishes, and the allowed workflows that each may mean, best first. */
  readonly parts?: readonly Readonly<Record<string, unknown>>[];
  /** With ASK_BETWEEN only: the two or three workflows to ask about, best first. */
  readonly between?: readonly ShortlistedWorkflow[];
}

export interface ShortlistResponse {
  /** Id of this request, also in the header x-request-id. */
  readonly request_id: string;
  /** The workflows that may be meant, best first; empty where nothing fits, or where reason_code says why. */
  readonly workflows: readonly ShortlistedWorkflow[];
  /** Every workflow that reaches the certified thresholds is listed; false where the list is empty or cut, or where one may not be listed. */
  readonly complete: boolean;
  /** SHORTLISTED, or why the list is empty. New codes may be added. */
  readonly reason_code:
    | "SHORTLISTED"
    | "EXACT_EVENT_RULE"
    | "EXACT_EVENT_MISSING_INPUT"
    | "SHORTLIST_NOT_CERTIFIED"
    | "RUNTIME_INTEGRITY_FAILURE"
    | "CATALOG_VERSION_REQUIRED"
    | "WORKFLOW_ALLOWLIST_REQUIRED"
    | "DEBUG_DISABLED"
    | "INVALID_CONTEXT"
    | "CONTEXT_TOO_LARGE"
    | "NO_ELIGIBLE_WORKFLOW"
    | "AMBIGUOUS_EVENT_RULE"
    | "NO_REQUEST"
    | "CONTEXT_NEEDED"
    | "LANGUAGE_NOT_CERTIFIED"
    | "INPUT_EXTRACTION_TIMEOUT"
    | "BACKEND_UNAVAILABLE"
    | "NO_WORKFLOW"
    | "BETTER_MATCH_NOT_ALLOWED"
    | "WORKFLOW_NOT_CERTIFIED";
  /** Versions of retriever and verifier. */
  readonly model_version: string;
  /** Version of the thresholds that decided. */
  readonly calibration_version: string;
  /** Version of the catalog that decided. */
  readonly catalog_version: string;
  /** development or production. */
  readonly runtime_mode: "development" | "production";
  /** Time inside the router, milliseconds. */
  readonly latency_ms: number;
}

export interface ShortlistedWorkflow {
  /** The workflow, one that the caller may use. */
  readonly workflow_id: string;
  /** Calibrated probability that it is right; the first has that of POST /v1/route. */
  readonly confidence: number;
  /** Names of required inputs that neither context nor text gave. */
  readonly missing_inputs: readonly string[];
}

export interface Candidate {
  /** The candidate. */
  readonly workflow_id: string;
  /** Place in decision order, from 1. */
  readonly rank: number;
  /** Tier of the catalog. */
  readonly risk_tier: "low" | "medium" | "high" | "critical";
  /** Score of the retriever, on its own scale. */
  readonly retrieval_score: number;
  /** Verifier's score for: fits. */
  readonly executable_score: number;
  /** Verifier's score for: fits, inputs missing. */
  readonly needs_input_score: number;
  /** Verifier's score for: does not fit. */
  readonly mismatch_score: number;
  /** Label of the verifier. */
  readonly label: "mismatch" | "needs_input" | "executable";
  /** Calibrated probability that this candidate is right. */
  readonly confidence: number;
  /** Confidence that its tier needs; null where the tier abstains. */
  readonly confidence_threshold: number | null;
  /** Distance to the next candidate that its tier needs; null where the tier abstains. */
  readonly margin_threshold: number | null;
  /** Names of required inputs that are missing. */
  readonly missing_inputs: readonly string[];
}

export interface Health {
  /** ok when ready; drifting when ready, but live decisions differ from what was certified; not_ready otherwise. */
  readonly status: "ok" | "drifting" | "not_ready";
  /** Whether the active bundle is in order and the server takes traffic. */
  readonly ready: boolean;
  /** Versions of retriever and verifier. */
  readonly model_version: string;
  /** Version of the thresholds that decided. */
  readonly calibration_version: string;
  /** Version of the catalog that decided. */
  readonly catalog_version: string;
  /** development or production. */
  readonly runtime_mode: "development" | "production";
  /** Grows by one with each replacement and each rollback. */
  readonly generation: number;
  /** Present, and true, when the bundle is signed with demonstration keys and not approved for production. */
  readonly demonstration?: true;
}

export interface NotReady {
  /** ok when ready; drifting when ready, but live decisions differ from what was certified; not_ready otherwise. */
  readonly status: "ok" | "drifting" | "not_ready";
  /** Whether the active bundle is in order and the server takes traffic. */
  readonly ready: boolean;
  /** Versions of retriever and verifier. */
  readonly model_version: string;
  /** Version of the thresholds that decided. */
  readonly calibration_version: string;
  /** Version of the catalog that decided. */
  readonly catalog_version: string;
  /** development or production. */
  readonly runtime_mode: "development" | "production";
  /** Grows by one with each replacement and each rollback. */
  readonly generation: number;
  /** Present, and true, when the bundle is signed with demonstration keys and not approved for production. */
  readonly demonstration?: true;
  /** What keeps the server from being ready; names the files of the bundle that were changed. */
  readonly problems: readonly string[];
}

export interface Live {
  /** The process answers. */
  readonly status: "ok";
}

export interface Problem {
  /** Always about:blank. */
  readonly type: "about:blank";
  /** Meaning of the code; may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /** Stable name of the failure. */
  readonly code: string;
  /** Id of this request, also in the header x-request-id. */
  readonly request_id: string;
  /** With 422: each field that breaks a rule. */
  readonly errors?: readonly FieldFault[];
}

export interface FieldFault {
  /** JSON pointer of the field. */
  readonly path: string;
  /** The rule that it breaks; never the value. */
  readonly rule: string;
}

/** An answer as the service means it, or its problem. A server that is not ready answers with its health. */
export type Answer<T> =
  | { readonly ok: true; readonly status: number; readonly body: T }
  | { readonly ok: false; readonly status: number; readonly problem: Problem };

/** Calls one server. */
export class SluiceClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param base  for example https://router.example.com; @param headers  sent with every request */
  constructor(base: string, headers: Readonly<Record<string, string>> = {}) {
    this.#base = base;
    this.#headers = headers;
  }

  /** Map a request to one workflow, or decline. */
  route(body: RouteRequest): Promise<Answer<RouteResponse>> {
    return this.#send("POST", "/v1/route", body);
  }

  /** List the few workflows that a request may mean, or none. */
  shortlist(body: RouteRequest): Promise<Answer<ShortlistResponse>> {
    return this.#send("POST", "/v1/shortlist", body);
  }

  /** Lineage and readiness of the active bundle. */
  health(): Promise<Answer<Health>> {
    return this.#send("GET", "/health", null);
  }

  /** Whether the process answers. */
  live(): Promise<Answer<Live>> {
    return this.#send("GET", "/health/live", null);
  }

  /** Whether the server takes traffic. */
  ready(): Promise<Answer<Health>> {
    return this.#send("GET", "/health/ready", null);
  }

  async #send<T>(method: string, path: string, body: unknown): Promise<Answer<T>> {
    const sent =
      body === null
        ? { headers: this.#headers }
        : { headers: { ...this.#headers, "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(new URL(path, this.#base), { method, ...sent });
    const { ok, status, headers } = response;
    const isProblem = (headers.get("content-type") ?? "").startsWith("application/problem+json");
    if (isProblem) return { ok: false, status, problem: (await response.json()) as Problem };
    if (!ok && status !== 503) throw new Error(`status ${status} without problem details`);
    return { ok: true, status, body: (await response.json()) as T };
  }
}
