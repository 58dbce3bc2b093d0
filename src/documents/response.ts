import { Type } from "../base/typebox.js";
import { riskTiers, verifierLabels } from "./choices.js";
import { decisionKinds, type ReasonCode, reasonCodes } from "./decision.js";
import {
  object,
  nullable,
  ProbabilitySchema,
  type ReadonlyStatic,
  VersionSchema,
  WorkflowIdSchema,
} from "./primitives.js";
import { type Shortlist, ShortlistedSchema, shortlistReasons } from "./shortlist.js";

export type RuntimeMode = "development" | "production";

const runtimeModes: readonly RuntimeMode[] = ["development", "production"];
const allReasonCodes = Object.keys(reasonCodes) as ReasonCode[];

const lineageFields = {
  /** Version of the retriever, "+", version of the verifier. */
  model_version: Type.String(),
  calibration_version: VersionSchema,
  catalog_version: VersionSchema,
  runtime_mode: Type.Enum([...runtimeModes]),
};

/** A scored candidate, returned only in development for requests with `debug`. */
export const CandidateSchema = object({
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
});
export type CandidateDetail = ReadonlyStatic<typeof CandidateSchema>;

/** One of the wishes of a text, and the workflows that it may mean, best first. */
const PartOfTextSchema = object({ text: Type.String(), workflows: Type.Array(WorkflowIdSchema) });
export type PartOfText = ReadonlyStatic<typeof PartOfTextSchema>;

/** Body of a 200 response of `POST /v1/route`. */
export const RouteResponseSchema = object({
  request_id: Type.String({ minLength: 1, maxLength: 160 }),
  decision: Type.Enum([...decisionKinds]),
  workflow_id: nullable(WorkflowIdSchema),
  confidence: ProbabilitySchema,
  reason_code: Type.Enum(allReasonCodes),
  missing_inputs: Type.Array(Type.String()),
  confirmation_required: Type.Boolean(),
  ...lineageFields,
  /** Milliseconds, 3 decimals. */
  latency_ms: Type.Number({ minimum: 0 }),
  /** In decision order; null unless `debug` is honoured (development only). */
  candidates: nullable(Type.Array(CandidateSchema)),
  negated_workflow_id: Type.Optional(WorkflowIdSchema),
  parts: Type.Optional(Type.Array(PartOfTextSchema, { minItems: 2, maxItems: 2 })),
  between: Type.Optional(Type.Array(ShortlistedSchema, { minItems: 2, maxItems: 3 })),
});
export type RouteResponseBody = ReadonlyStatic<typeof RouteResponseSchema>;

/** Body of a 200 response of `POST /v1/shortlist`. */
export const ShortlistResponseSchema = object({
  request_id: Type.String({ minLength: 1, maxLength: 160 }),
  workflows: Type.Array(ShortlistedSchema),
  complete: Type.Boolean(),
  reason_code: Type.Enum([...shortlistReasons]),
  ...lineageFields,
  latency_ms: Type.Number({ minimum: 0 }),
});
export type ShortlistResponseBody = ReadonlyStatic<typeof ShortlistResponseSchema>;

/** Body of `GET /health` and `GET /health/ready`. */
const healthFields = {
  status: Type.Enum(["ok", "drifting", "not_ready"]),
  ready: Type.Boolean(),
  ...lineageFields,
  generation: Type.Integer({ minimum: 1 }),
  demonstration: Type.Optional(Type.Literal(true)),
};
export const HealthSchema = object(healthFields);
export type HealthBody = ReadonlyStatic<typeof HealthSchema>;

/** Body of `GET /health/ready` with status 503. */
export const NotReadySchema = object({ ...healthFields, problems: Type.Array(Type.String()) });
export type NotReadyBody = ReadonlyStatic<typeof NotReadySchema>;

/** Body of `GET /health/live`. */
export const LiveSchema = object({ status: Type.Literal("ok") });

/**
 * The router's answer to a request. It contains the whole shortlist; the response body contains at most the workflows
 * to ask between.
 */
export interface RouteResponse extends Omit<RouteResponseBody, "between"> {
  /** Set for a declined request or `ASK_BETWEEN`, under a calibration that certifies shortlists; otherwise null. */
  readonly shortlist: Shortlist | null;
}

/** The versions that produced the decision. */
export type Lineage = Pick<HealthBody, keyof typeof lineageFields>;

/** The router's answer to a request for a shortlist. */
export interface ShortlistResponse extends Shortlist, Lineage {
  readonly request_id: string;
  /** Milliseconds, 3 decimals. */
  readonly latency_ms: number;
}

export interface Health extends Lineage {
  /** `drifting`: ready, but live decisions differ from the signed calibration. */
  readonly status: "ok" | "drifting" | "not_ready";
  readonly ready: boolean;
  readonly generation: number;
  /** Whether the bundle is signed with demonstration keys. */
  readonly demonstration: boolean;
}
