import { type Static, Type } from "typebox";
import { toSnake } from "../src/documents/camel.js";
import { riskTiers } from "../src/documents/choices.js";
import { decisionKinds, type ReasonCode, reasonCodes } from "../src/documents/decision.js";
import { verifierLabels } from "../src/documents/choices.js";
import { closed, ProbabilitySchema, VersionSchema, WorkflowIdSchema } from "../src/documents/primitives.js";
import { type ShortlistedWorkflow, shortlistReasons } from "../src/documents/shortlist.js";
import type {
  CandidateDetail,
  Health,
  RouteResponse,
  RuntimeMode,
  ShortlistResponse,
} from "../src/documents/response.js";

const runtimeModes: readonly RuntimeMode[] = ["development", "production"];
const allReasonCodes = Object.keys(reasonCodes) as ReasonCode[];
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

const lineageFields = {
  model_version: Type.String(),
  calibration_version: VersionSchema,
  catalog_version: VersionSchema,
  runtime_mode: Type.Enum([...runtimeModes]),
};

/** One candidate of an answer to a request with `debug`, in development. */
export const CandidateSchema = Type.Object(
  {
    workflow_id: WorkflowIdSchema,
    rank: Type.Integer({ minimum: 1 }),
    risk_tier: Type.Enum([...riskTiers]),
    retrieval_score: Type.Number(),
    executable_score: ProbabilitySchema,
    needs_input_score: ProbabilitySchema,
    mismatch_score: ProbabilitySchema,
    label: Type.Enum([...verifierLabels]),
    confidence: ProbabilitySchema,
    confidence_threshold: nullable(Type.Number()),
    margin_threshold: nullable(Type.Number()),
    missing_inputs: Type.Array(Type.String()),
  },
  closed,
);
export type CandidateWire = Static<typeof CandidateSchema>;

/** One workflow of a shortlist. */
export const ShortlistedSchema = Type.Object(
  { workflow_id: WorkflowIdSchema, confidence: ProbabilitySchema, missing_inputs: Type.Array(Type.String()) },
  closed,
);
export type ShortlistedWire = Static<typeof ShortlistedSchema>;

/** Body of a 200 answer of `POST /v1/route`. */
export const RouteResponseSchema = Type.Object(
  {
    request_id: Type.String({ minLength: 1, maxLength: 160 }),
    decision: Type.Enum([...decisionKinds]),
    workflow_id: nullable(WorkflowIdSchema),
    confidence: ProbabilitySchema,
    reason_code: Type.Enum(allReasonCodes),
    missing_inputs: Type.Array(Type.String()),
    confirmation_required: Type.Boolean(),
    ...lineageFields,
    latency_ms: Type.Number({ minimum: 0 }),
    candidates: nullable(Type.Array(CandidateSchema)),
    between: Type.Optional(Type.Array(ShortlistedSchema, { minItems: 2, maxItems: 3 })),
  },
  closed,
);
export type RouteResponseWire = Static<typeof RouteResponseSchema>;

/** Body of a 200 answer of `POST /v1/shortlist`. */
export const ShortlistResponseSchema = Type.Object(
  {
    request_id: Type.String({ minLength: 1, maxLength: 160 }),
    workflows: Type.Array(ShortlistedSchema),
    complete: Type.Boolean(),
    reason_code: Type.Enum([...shortlistReasons]),
    ...lineageFields,
    latency_ms: Type.Number({ minimum: 0 }),
  },
  closed,
);
export type ShortlistResponseWire = Static<typeof ShortlistResponseSchema>;

/** Body of `GET /health` and `GET /health/ready`. */
const healthFields = {
  status: Type.Enum(["ok", "drifting", "not_ready"]),
  ready: Type.Boolean(),
  ...lineageFields,
  generation: Type.Integer({ minimum: 1 }),
  demonstration: Type.Optional(Type.Literal(true)),
};
export const HealthSchema = Type.Object(healthFields, closed);
export type HealthWire = Static<typeof HealthSchema>;

/** Body of `GET /health/ready` with 503. */
export const NotReadySchema = Type.Object({ ...healthFields, problems: Type.Array(Type.String()) }, closed);
export type NotReadyWire = Static<typeof NotReadySchema>;

/** Body of `GET /health/live`. */
export const LiveSchema = Type.Object({ status: Type.Literal("ok") }, closed);

/**
 * Wire form of a decision: exactly the fields of the specification, in its order. `ASK_BETWEEN`, which a policy has to turn
 * on, adds the workflows to ask about.
 */
export function routeResponseBody(response: RouteResponse): RouteResponseWire {
  const { reasonCode, shortlist } = response;
  return {
    request_id: response.requestId,
    decision: response.decision,
    workflow_id: response.workflowId,
    confidence: response.confidence,
    reason_code: response.reasonCode,
    missing_inputs: [...response.missingInputs],
    confirmation_required: response.confirmationRequired,
    model_version: response.modelVersion,
    calibration_version: response.calibrationVersion,
    catalog_version: response.catalogVersion,
    runtime_mode: response.runtimeMode,
    latency_ms: response.latencyMs,
    candidates: response.candidates?.map(candidateBody) ?? null,
    ...(reasonCode === "ASK_BETWEEN" && shortlist !== null ? { between: shortlist.workflows.map(listedBody) } : {}),
  };
}

/** Wire form of a shortlist. */
export function shortlistBody(response: ShortlistResponse): ShortlistResponseWire {
  return {
    request_id: response.requestId,
    workflows: response.workflows.map(listedBody),
    complete: response.complete,
    reason_code: response.reasonCode as ShortlistResponseWire["reason_code"],
    model_version: response.modelVersion,
    calibration_version: response.calibrationVersion,
    catalog_version: response.catalogVersion,
    runtime_mode: response.runtimeMode,
    latency_ms: response.latencyMs,
  };
}

function listedBody({ workflowId, confidence, missingInputs }: ShortlistedWorkflow): ShortlistedWire {
  return { workflow_id: workflowId, confidence, missing_inputs: [...missingInputs] };
}

function candidateBody(candidate: CandidateDetail): CandidateWire {
  return toSnake<CandidateWire>(candidate);
}

/** Wire form of the health of the active bundle: the fields of the specification, and one more for a demonstration. */
export function healthBody(health: Health): HealthWire {
  return {
    status: health.status,
    ready: health.ready,
    model_version: health.modelVersion,
    calibration_version: health.calibrationVersion,
    catalog_version: health.catalogVersion,
    runtime_mode: health.runtimeMode,
    generation: health.generation,
    ...(health.demonstration ? { demonstration: true } : {}),
  };
}

/** The same for operators, with the problems that block readiness. */
export function notReadyBody(health: Health, problems: readonly string[]): NotReadyWire {
  return { ...healthBody(health), problems: [...problems] };
}
