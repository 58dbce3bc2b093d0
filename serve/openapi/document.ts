import { FieldFaultSchema, ProblemSchema } from "../error-reply.js";
import { type ErrorCode, errorCodes } from "../../src/base/error-codes.js";
import { RouteRequestSchema, type RouteRequestBody } from "../../src/documents/request.js";
import {
  CandidateSchema,
  HealthSchema,
  LiveSchema,
  NotReadySchema,
  RouteResponseSchema,
  ShortlistResponseSchema,
  type CandidateDetail,
  type HealthBody,
  type NotReadyBody,
  type RouteResponseBody,
  type ShortlistResponseBody,
} from "../../src/documents/response.js";
import { ShortlistedSchema, type ShortlistedWorkflow } from "../../src/documents/shortlist.js";
import type { TSchema } from "../../src/base/typebox.js";

/** The OpenAPI 3.1 description of the service. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: JsonSchema;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  /** Alternatives; an empty object means that no authentication is required. */
  readonly security: readonly JsonSchema[];
  readonly parameters: readonly JsonSchema[];
  readonly requestBody?: { readonly required: true; readonly description: string; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface Answer {
  readonly description: string;
  readonly headers: JsonSchema;
  readonly content: Content;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

/** Error codes of `POST /v1/route` and `POST /v1/shortlist`; the latter has an additional one. */
const routeFailures: readonly ErrorCode[] = [
  "HOST_NOT_TRUSTED",
  "REQUEST_MALFORMED",
  "AUTHORIZATION_DENIED",
  "REQUEST_TIMEOUT",
  "CATALOG_VERSION_MISMATCH",
  "REQUEST_TOO_LARGE",
  "TARGET_TOO_LONG",
  "MEDIA_TYPE_UNSUPPORTED",
  "EXPECTATION_FAILED",
  "REQUEST_INVALID",
  "HEADERS_TOO_LARGE",
  "AUTHORIZATION_FAILED",
  "INTERNAL",
  "TRANSFER_ENCODING_UNSUPPORTED",
  "AUTHORIZATION_UNAVAILABLE",
  "SERVER_OVERLOADED",
];
const healthFailures: readonly ErrorCode[] = ["HOST_NOT_TRUSTED"];

const requestIdParameter = {
  name: "x-request-id",
  in: "header",
  required: false,
  description: "Id of the request, used where the body names none; an invalid one is replaced.",
  schema: { type: "string" },
};
const answerHeaders = { "x-request-id": { description: "Id of the request.", schema: { type: "string" } } };
const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Builds the description from the schemas that the server validates with, so that it always matches the server. */
export function openApiDocument(): OpenApiDocument {
  return {
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version: "1.0.0",
      description: "Maps a short request to one workflow of a catalog, or declines. A declined request is an answer.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The server that this description comes from, or the base address of yours." }],
    paths: {
      "/v1/route": {
        post: scoringOperation("route", "Map a request to one workflow, or decline", {
          body: ref("RouteRequest"),
          found: answer("The decision, even if declined.", "RouteResponse"),
          failed: routeFailures,
        }),
      },
      "/v1/shortlist": {
        post: scoringOperation("shortlist", "List the few workflows that a request may mean, or none", {
          body: ref("RouteRequest"),
          found: answer("A shortlist, possibly empty.", "ShortlistResponse"),
          failed: routeFailures,
        }),
      },
      "/health": { get: healthOperation("health", "Lineage and readiness of the active bundle", ["200"]) },
      "/health/live": { get: liveOperation() },
      "/health/ready": { get: healthOperation("ready", "Whether the server takes traffic", ["200", "503"]) },
    },
    components: {
      schemas: withContextRule(
        components([
          { name: "RouteRequest", schema: RouteRequestSchema, words: requestWords },
          { name: "RouteResponse", schema: RouteResponseSchema, words: responseWords },
          { name: "ShortlistResponse", schema: ShortlistResponseSchema, words: shortlistWords },
          { name: "ShortlistedWorkflow", schema: ShortlistedSchema, words: shortlistedWords },
          { name: "Candidate", schema: CandidateSchema, words: candidateWords },
          { name: "Health", schema: HealthSchema, words: healthWords },
          { name: "NotReady", schema: NotReadySchema, words: notReadyWords },
          { name: "Live", schema: LiveSchema, words: { status: "The process answers." } },
          { name: "Problem", schema: ProblemSchema, words: problemWords },
          { name: "FieldFault", schema: FieldFaultSchema, words: faultWords },
        ]),
      ),
      securitySchemes: {
        bearerToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "Where the ingress or the authorizer module expects one.",
        },
      },
    },
  };
}

/**
 * Adds the rules for names in `context`. The server checks them in code, because a schema cannot exclude built-in
 * property names.
 */
function withContextRule(schemas: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  const request = schemas["RouteRequest"] as { readonly properties: Readonly<Record<string, JsonSchema>> };
  const context = {
    ...request.properties["context"],
    propertyNames: { not: { const: "__proto__" } },
    patternProperties: {
      "^constructor$": { not: { type: "object", properties: { prototype: {} }, required: ["prototype"] } },
    },
  };
  return { ...schemas, RouteRequest: { ...request, properties: { ...request.properties, context } } };
}

const problemWords = {
  type: "Always about:blank.",
  title: "Meaning of the code; may change.",
  status: "The HTTP status.",
  code: "Stable name of the failure.",
  request_id: "Id of this request, also in the header x-request-id.",
  errors: "With 422: each field that breaks a rule.",
};
const faultWords = { path: "JSON pointer of the field.", rule: "The rule that it breaks; never the value." };

function scoringOperation(
  operationId: string,
  summary: string,
  { body, found, failed }: { readonly body: JsonSchema; readonly found: Answer; readonly failed: readonly ErrorCode[] },
): Operation {
  return {
    operationId,
    summary,
    security: [{ bearerToken: [] }, {}],
    parameters: [requestIdParameter],
    requestBody: {
      required: true,
      description: "White space around texts, versions, ids and types is removed before the rules are applied.",
      content: { "application/json": { schema: body } },
    },
    responses: { "200": found, ...failures(failed) },
  };
}

function healthOperation(operationId: string, summary: string, statuses: readonly string[]): Operation {
  const answers = statuses.map((status) => [
    status,
    status === "200" ? answer("State.", "Health") : answer("Not ready.", "NotReady"),
  ]);
  return {
    operationId,
    summary,
    security: [],
    parameters: [requestIdParameter],
    responses: { ...(Object.fromEntries(answers) as Record<string, Answer>), ...failures(healthFailures) },
  };
}

function liveOperation(): Operation {
  return {
    operationId: "live",
    summary: "Whether the process answers",
    security: [],
    parameters: [requestIdParameter],
    responses: { "200": answer("The process answers.", "Live"), ...failures(healthFailures) },
  };
}

function answer(description: string, schema: string, headers: JsonSchema = answerHeaders): Answer {
  return { description, headers, content: { "application/json": { schema: ref(schema) } } };
}

function failures(codes: readonly ErrorCode[]): Record<string, Answer> {
  const statuses = [...new Set(codes.map((code) => errorCodes[code].httpStatus))].sort((a, b) => a - b);
  const entries = statuses.map((status) => {
    const named = codes.filter((code) => errorCodes[code].httpStatus === status);
    const words = named.map((code) => `${code}: ${errorCodes[code].meaning}`).join(" ");
    const content = { "application/problem+json": { schema: ref("Problem") } };
    return [String(status), { description: words, headers: answerHeaders, content }] as const;
  });
  return Object.fromEntries(entries);
}

/** A JSON Schema 2020-12 document, or part of an OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

interface NamedSchema {
  readonly name: string;
  readonly schema: TSchema;
  /** Description of each property. */
  readonly words: Readonly<Record<string, string>>;
}

/** The named schemas with their properties described, and with nested named schemas replaced by references. */
function components(named: readonly NamedSchema[]): Readonly<Record<string, JsonSchema>> {
  const references = new Map(named.map(({ name, schema }) => [JSON.stringify(schema), name]));
  return Object.fromEntries(named.map((entry) => [entry.name, describe(entry, references)]));
}

function describe(entry: NamedSchema, references: ReadonlyMap<string, string>): JsonSchema {
  const plain = JSON.parse(JSON.stringify(entry.schema)) as JsonSchema & { readonly properties: JsonSchema };
  const properties = Object.entries(plain.properties).map(([name, schema]) => {
    const referred = refer(schema, references) as JsonSchema;
    return [name, { ...referred, description: entry.words[name] }] as const;
  });
  return { ...plain, properties: Object.fromEntries(properties) };
}

function refer(value: unknown, references: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => refer(item, references));
  if (typeof value !== "object" || value === null) return value;
  const name = references.get(JSON.stringify(value));
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, refer(item, references)]));
}

type Words<T> = Readonly<Record<keyof T, string>>;

const requestWords: Words<RouteRequestBody> = {
  text: "The request in plain words, 1 to 8,000 characters, not blank.",
  request_id: "Id of the caller for this request; without one the header x-request-id or a new id is used.",
  context:
    "Known input values by name, at most 32 levels deep; no level may have a field __proto__, or a constructor with a field prototype. The caller validates them again before execution.",
  catalog_version:
    "Version that the caller knows; if it is not the active version, the response is 409. Production declines without it.",
  allowed_workflow_ids:
    "Workflows that may be chosen. Narrows what the caller may use, never widens it; empty allows none. Without it the caller may use what the authorizer grants.",
  blocked_workflow_ids: "Workflows that must not be chosen.",
  event_type:
    "Type of an event. Ignored unless the signed policy, the server and the grant of the caller allow events.",
  previous:
    "Says that the text follows another one of the same conversation, and names the workflow that served that one; null if none did. An id that the caller may not use counts as null.",
  language:
    "Language of the text as a BCP 47 tag. By default it is read from the text. A text in a language that the claim does not cover is declined.",
  debug: "Shows the candidates, in development only.",
};

const responseWords: Words<Required<RouteResponseBody>> = {
  request_id: "Id of this request, also in the header x-request-id.",
  decision:
    "ROUTE: run the workflow. CLARIFY: ask for the missing inputs, or which workflow is meant. LLM_REQUIRED: declined, use a fallback.",
  workflow_id: "The workflow; null with LLM_REQUIRED and ASK_BETWEEN.",
  confidence: "Calibrated probability that the best candidate is right; 0 when none was scored.",
  reason_code: "Why. New codes may be added; treat an unknown one by its decision.",
  missing_inputs: "Names of required inputs to ask for; empty when none.",
  confirmation_required: "The workflow needs a confirmation before it runs.",
  model_version: "Versions of retriever and verifier.",
  calibration_version: "Version of the thresholds that decided.",
  catalog_version: "Version of the catalog that decided.",
  runtime_mode: "development or production.",
  latency_ms: "Time inside the router, milliseconds.",
  candidates: "Candidates in decision order; null unless debug is honoured.",
  negated_workflow_id: "With NEGATED_REQUEST only: the workflow that the text says is not wanted.",
  parts:
    "With MULTI_ACTION_UNSUPPORTED only: the two wishes, and the allowed workflows that each may mean, best first.",
  between: "With ASK_BETWEEN only: the two or three workflows to ask about, best first.",
};

const shortlistWords: Words<ShortlistResponseBody> = {
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

/** Descriptions of the fields of a listed workflow. */
const shortlistedWords: Words<ShortlistedWorkflow> = {
  workflow_id: "The workflow, one that the caller may use.",
  confidence: "Calibrated probability that it is right; the first has that of POST /v1/route.",
  missing_inputs: "Names of required inputs that neither context nor text gave.",
};

const healthWords: Words<Required<HealthBody>> = {
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

/** Descriptions of the health fields of a server that is not ready. */
const notReadyWords: Words<NotReadyBody> = {
  ...healthWords,
  problems: "What keeps the server from being ready; names the files of the bundle that were changed.",
};

const candidateWords: Words<CandidateDetail> = {
  workflow_id: "The candidate.",
  rank: "Place in decision order, from 1.",
  risk_tier: "Tier of the catalog.",
  retrieval_score: "Score of the retriever, on its own scale.",
  executable_score: "Verifier's score for: fits.",
  needs_input_score: "Verifier's score for: fits, inputs missing.",
  mismatch_score: "Verifier's score for: does not fit.",
  label: "Label of the verifier.",
  confidence: "Calibrated probability that this candidate is right.",
  confidence_threshold: "Confidence that its tier needs; null where the tier abstains.",
  margin_threshold: "Distance to the next candidate that its tier needs; null where the tier abstains.",
  missing_inputs: "Names of required inputs that are missing.",
};
