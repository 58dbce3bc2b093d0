import { hasTypes, isObject, isTexts, type JsonObject } from "./fetch.js";
import type { RouteRequest } from "./request.js";

export type RiskTier = "low" | "medium" | "high" | "critical";

/** Reason codes by decision. */
export const reasonCodes = {
  ROUTE: [
    "ACCEPTED_LOW_RISK",
    "ACCEPTED_MEDIUM_RISK",
    "ACCEPTED_HIGH_RISK",
    "ACCEPTED_CRITICAL_RISK",
    "EXACT_EVENT_RULE",
    "FOLLOW_UP_ACCEPTED",
  ],
  CLARIFY: ["EXACT_EVENT_MISSING_INPUT", "MISSING_REQUIRED_INPUT", "FOLLOW_UP_MISSING_INPUT", "ASK_BETWEEN"],
  LLM_REQUIRED: [
    "RUNTIME_INTEGRITY_FAILURE",
    "CATALOG_VERSION_REQUIRED",
    "WORKFLOW_ALLOWLIST_REQUIRED",
    "DEBUG_DISABLED",
    "INVALID_CONTEXT",
    "CONTEXT_TOO_LARGE",
    "NO_ELIGIBLE_WORKFLOW",
    "AMBIGUOUS_EVENT_RULE",
    "LANGUAGE_NOT_CERTIFIED",
    "MULTI_ACTION_UNSUPPORTED",
    "NEGATED_REQUEST",
    "NO_REQUEST",
    "CONTEXT_NEEDED",
    "INPUT_EXTRACTION_TIMEOUT",
    "BACKEND_UNAVAILABLE",
    "NO_WORKFLOW",
    "BETTER_MATCH_NOT_ALLOWED",
    "WORKFLOW_NOT_CERTIFIED",
    "LOW_CONFIDENCE_MISSING_INPUT",
    "BELOW_RISK_THRESHOLD",
    "AMBIGUOUS_CANDIDATES",
  ],
} as const;

type Kind = keyof typeof reasonCodes;

/** Known reason codes of a decision. A newer server may send codes that are not listed: handle those by `decision`. */
export type ReasonCode<K extends Kind = Kind> = (typeof reasonCodes)[K][number] | (string & {});

/** The versions that produced the decision. */
export interface Lineage {
  readonly model_version: string;
  readonly calibration_version: string;
  readonly catalog_version: string;
  readonly runtime_mode: "development" | "production";
}

/** A scored candidate. Sent only in development, for requests with `debug`. */
export interface Candidate {
  readonly workflow_id: string;
  readonly rank: number;
  readonly risk_tier: RiskTier;
  readonly retrieval_score: number;
  readonly executable_score: number;
  readonly needs_input_score: number;
  readonly mismatch_score: number;
  readonly label: "mismatch" | "needs_input" | "executable";
  readonly confidence: number;
  readonly confidence_threshold: number | null;
  readonly margin_threshold: number | null;
  readonly missing_inputs: readonly string[];
}

/** A workflow that the request may mean. */
export interface ShortlistedWorkflow {
  readonly workflow_id: string;
  /** Calibrated probability that this workflow is the right one. */
  readonly confidence: number;
  readonly missing_inputs: readonly string[];
}

interface Decided<K extends Kind> extends Lineage {
  readonly decision: K;
  readonly request_id: string;
  readonly reason_code: ReasonCode<K>;
  /** Calibrated probability that the best candidate is right; 0 if no candidate was scored. */
  readonly confidence: number;
  /** Time spent in the router, in milliseconds. */
  readonly latency_ms: number;
  /** null unless the request had `debug` in development. */
  readonly candidates: readonly Candidate[] | null;
}

/** Run the workflow. */
export interface Routed extends Decided<"ROUTE"> {
  readonly workflow_id: string;
  /** Ask a person to confirm before the workflow runs. */
  readonly confirmation_required: boolean;
  readonly missing_inputs: readonly [];
}

/** Ask for the missing inputs, then send the request again with them included. */
export interface Clarify extends Decided<"CLARIFY"> {
  readonly workflow_id: string;
  readonly confirmation_required: boolean;
  readonly missing_inputs: readonly [string, ...string[]];
}

/**
 * Ask the caller which workflow is meant. Also a `CLARIFY`; unlike in `Clarify`, `workflow_id` is null. Sent only under
 * a policy with `ask_between`.
 */
export interface AskBetween extends Decided<"CLARIFY"> {
  readonly workflow_id: null;
  readonly confirmation_required: false;
  readonly missing_inputs: readonly [];
  /** Two or three workflows, best first. */
  readonly between: readonly ShortlistedWorkflow[];
}

/** One of the wishes of a text. */
export interface PartOfText {
  readonly text: string;
  readonly workflows: readonly string[];
}

/** Declined: use the fallback. */
export interface Declined extends Decided<"LLM_REQUIRED"> {
  readonly workflow_id: null;
  readonly confirmation_required: false;
  readonly missing_inputs: readonly [];
  /** With `NEGATED_REQUEST` only: the workflow that the text says is not wanted. */
  readonly negated_workflow_id?: string;
  /** With `MULTI_ACTION_UNSUPPORTED` only: the two wishes, and the workflows that each may mean, best first. */
  readonly parts?: readonly PartOfText[];
}

/**
 * What the service decided. `decision` distinguishes the three outcomes; `workflow_id` distinguishes `Clarify` from
 * `AskBetween`.
 */
export type Answer = Routed | Clarify | AskBetween | Declined;

/** Reads the versions from a response body; null if one is missing. */
export function readLineage(body: JsonObject): Lineage | null {
  const { model_version, calibration_version, catalog_version, runtime_mode } = body;
  if (typeof model_version !== "string" || typeof calibration_version !== "string") return null;
  if (typeof catalog_version !== "string") return null;
  if (runtime_mode !== "development" && runtime_mode !== "production") return null;
  return { model_version, calibration_version, catalog_version, runtime_mode };
}

const types = {
  request_id: "string",
  reason_code: "string",
  confidence: "number",
  latency_ms: "number",
  confirmation_required: "boolean",
} as const;

/** Reads the answer from the body of a 200 response; null if the body is not an answer. */
export function readAnswer(body: JsonObject): Answer | null {
  const common = readCommon(body);
  const { decision, workflow_id, missing_inputs: missing } = body;
  if (common === null || !isTexts(missing)) return null;
  const confirmation_required = body["confirmation_required"] === true;
  if (decision === "LLM_REQUIRED") {
    if (workflow_id !== null || missing.length > 0 || confirmation_required) return null;
    const negated = body["negated_workflow_id"];
    const parts = readParts(body["parts"]);
    const about = {
      ...(typeof negated === "string" ? { negated_workflow_id: negated } : {}),
      ...(parts === null ? {} : { parts }),
    };
    return { ...common, decision, workflow_id, confirmation_required, missing_inputs: [], ...about };
  }
  if (workflow_id === null) return decision === "CLARIFY" ? withBetween(readListed(body["between"]), common) : null;
  return typeof workflow_id === "string"
    ? withWorkflow(decision, missing, { ...common, workflow_id, confirmation_required })
    : null;
}

function readParts(parts: unknown): readonly PartOfText[] | null {
  if (!Array.isArray(parts)) return null;
  return parts.flatMap((part: unknown): PartOfText[] => {
    if (!isObject(part) || typeof part["text"] !== "string" || !isTexts(part["workflows"])) return [];
    return [{ text: part["text"], workflows: part["workflows"] }];
  });
}

function withBetween(between: readonly ShortlistedWorkflow[] | null, common: Common): AskBetween | null {
  if (between === null || between.length < 2) return null;
  return {
    ...common,
    decision: "CLARIFY",
    workflow_id: null,
    confirmation_required: false,
    missing_inputs: [],
    between,
  };
}

type Common = Omit<Decided<Kind>, "decision">;

function readCommon(body: JsonObject): Common | null {
  const lineage = readLineage(body);
  const candidates = readCandidates(body["candidates"]);
  if (lineage === null || candidates === undefined || !hasTypes(body, types) || !isInRange(body)) return null;
  return {
    request_id: body["request_id"] as string,
    reason_code: body["reason_code"] as string,
    confidence: body["confidence"] as number,
    latency_ms: body["latency_ms"] as number,
    candidates,
    ...lineage,
  };
}

/** Whether the service could have sent these numbers, this id and this reason code. */
function isInRange(body: JsonObject): boolean {
  const { confidence, latency_ms: latencyMs, request_id: id, decision, reason_code: reason } = body;
  if (!(Number(confidence) >= 0 && Number(confidence) <= 1 && Number(latencyMs) >= 0)) return false;
  if (!/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,159}$/u.test(String(id))) return false;
  const kinds = Object.entries(reasonCodes).filter(([, codes]) =>
    (codes as readonly string[]).includes(String(reason)),
  );
  return kinds.length === 0 || kinds.some(([kind]) => kind === decision);
}

/**
 * Whether the answer belongs to this request: same id, same catalog version, and a workflow that the request allows.
 */
export function answersTo(request: RouteRequest, answer: Answer): boolean {
  const { request_id, catalog_version, allowed_workflow_ids: allowed, blocked_workflow_ids: blocked } = request;
  // The service trims the id and the catalog version.
  if (request_id !== undefined && answer.request_id !== request_id.trim()) return false;
  if (catalog_version !== undefined && answer.catalog_version !== catalog_version.trim()) return false;
  return namedBy(answer).every((workflowId) => {
    if (workflowId === null) return true;
    const isNamed = (id: string): boolean => id.trim() === workflowId;
    return blocked?.some(isNamed) !== true && allowed?.some(isNamed) !== false;
  });
}

function withWorkflow(
  decision: unknown,
  missing: readonly string[],
  common: Common & Pick<Routed, "workflow_id" | "confirmation_required">,
): Routed | Clarify | null {
  const [first, ...others] = missing;
  if (decision === "ROUTE" && first === undefined) return { ...common, decision, missing_inputs: [] };
  if (decision === "CLARIFY" && first !== undefined) return { ...common, decision, missing_inputs: [first, ...others] };
  return null;
}

/** Reads the workflows of an answer; null if the value is not a list of workflows. */
export function readListed(value: unknown): readonly ShortlistedWorkflow[] | null {
  if (!Array.isArray(value)) return null;
  const workflows: ShortlistedWorkflow[] = [];
  for (const entry of value) {
    if (!isObject(entry)) return null;
    const { workflow_id, confidence, missing_inputs } = entry;
    if (typeof workflow_id !== "string" || !isTexts(missing_inputs)) return null;
    if (typeof confidence !== "number" || !(confidence >= 0 && confidence <= 1)) return null;
    workflows.push({ workflow_id, confidence, missing_inputs });
  }
  return workflows;
}

/**
 * Reads the candidates; undefined if the field is neither null nor a list of objects. Their fields are not checked,
 * because they serve only debugging.
 */
function readCandidates(value: unknown): readonly Candidate[] | null | undefined {
  if (value === null) return null;
  return Array.isArray(value) && value.every(isObject) ? (value as unknown as readonly Candidate[]) : undefined;
}

function namedBy(answer: Answer): readonly (string | null)[] {
  if ("between" in answer) return answer.between.map(({ workflow_id }) => workflow_id);
  if (answer.decision !== "LLM_REQUIRED") return [answer.workflow_id];
  return [answer.negated_workflow_id ?? null, ...(answer.parts ?? []).flatMap(({ workflows }) => workflows)];
}
