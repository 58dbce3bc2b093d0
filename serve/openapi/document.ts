import { FieldFaultSchema, ProblemSchema } from "../error-reply.js";
import { type ErrorCode, errorCodes } from "../../src/errors/codes.js";
import { RouteRequestSchema } from "../../src/domain/request.js";
import {
  CandidateSchema,
  HealthSchema,
  LiveSchema,
  NotReadySchema,
  RouteResponseSchema,
  ShortlistedSchema,
  ShortlistResponseSchema,
} from "../response-body.js";
import {
  candidateWords,
  healthWords,
  notReadyWords,
  requestWords,
  responseWords,
  shortlistedWords,
  shortlistWords,
} from "./descriptions.js";
import { components, type JsonSchema } from "./json-schema.js";

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
  /** Alternatives; an empty one means no requirement. */
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

/** Error codes of `POST /v1/route` and `POST /v1/shortlist`. */
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
  description: "Id of the request, used where the body names none; one that breaks the grammar is replaced.",
  schema: { type: "string" },
};
const answerHeaders = { "x-request-id": { description: "Id of the request.", schema: { type: "string" } } };
const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Built from the schemas that the server validates with, so it always matches the server. */
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
          description: "A decision, declining included.",
          schema: "RouteResponse",
        }),
      },
      "/v1/shortlist": {
        post: scoringOperation("shortlist", "List the few workflows that a request may mean, or none", {
          description: "A shortlist, an empty one included.",
          schema: "ShortlistResponse",
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
          description: "Token of the configured issuer. Servers with another authorizer need no token here.",
        },
      },
    },
  };
}

/** The rules for the names of `context` that the server checks in code, because they are about names that objects have. */
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
  found: { readonly description: string; readonly schema: string },
): Operation {
  return {
    operationId,
    summary,
    security: [{ bearerToken: [] }, {}],
    parameters: [requestIdParameter],
    requestBody: {
      required: true,
      description: "White space around texts, versions, ids and types is removed before the rules are applied.",
      content: { "application/json": { schema: ref("RouteRequest") } },
    },
    responses: { "200": answer(found.description, found.schema), ...failures(routeFailures) },
  };
}

function healthOperation(operationId: string, summary: string, statuses: readonly string[]): Operation {
  const answers = statuses.map((status) => [
    status,
    status === "200" ? answer("As found.", "Health") : answer("Not ready.", "NotReady"),
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

function answer(description: string, schema: string, type = "application/json"): Answer {
  return { description, headers: answerHeaders, content: { [type]: { schema: ref(schema) } } };
}

/** One answer for each status, which names its codes. */
function failures(codes: readonly ErrorCode[]): Record<string, Answer> {
  const statuses = [...new Set(codes.map((code) => errorCodes[code].httpStatus))].sort((a, b) => a - b);
  const entries = statuses.map((status) => {
    const named = codes.filter((code) => errorCodes[code].httpStatus === status);
    const words = named.map((code) => `${code}: ${errorCodes[code].meaning}`).join(" ");
    return [String(status), answer(words, "Problem", "application/problem+json")] as const;
  });
  return Object.fromEntries(entries);
}
