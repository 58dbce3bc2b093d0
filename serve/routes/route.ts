import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RouteRequest } from "../../src/documents/request.js";
import type { Router } from "../../src/documents/router.js";
import type { RouteResponse, ShortlistResponse } from "../../src/documents/response.js";
import { requireCatalogVersion } from "../../src/router/require-catalog-version.js";
import type { RouterRuntime } from "../../src/router/runtime.js";
import { askedGrant, type Authorizer, effectiveAllowList } from "../authorizer.js";
import { disconnectSignal, useRequestId } from "../request-state.js";
import { bodyRequestId, readRouteRequest } from "../request-body.js";
import { routeResponseBody, shortlistBody } from "../response-body.js";

export interface RouteEndpointOptions {
  readonly runtime: RouterRuntime;
  /** null in development, where the client's list is used unchanged. */
  readonly authorizer: Authorizer | null;
  readonly authorizerTimeoutMs: number;
}

/** Paths that score requests. */
export const scoringPaths: readonly string[] = ["/v1/route", "/v1/shortlist", "/mcp"];

/** `POST /v1/route` and `POST /v1/shortlist`: schema (422), catalog version (409), authorization (403, 500), router. */
export function addRouteEndpoints(app: FastifyInstance, options: RouteEndpointOptions): void {
  app.post("/v1/route", async (request, reply) =>
    routeResponseBody(await answer(request, reply, options, (router, ...asked) => router.route(...asked))),
  );
  app.post("/v1/shortlist", async (request, reply) =>
    shortlistBody(await answer(request, reply, options, (router, ...asked) => router.shortlist(...asked))),
  );
}

/** A request that contains only a text. */
export function plainRequest(requestId: string, text: string): RouteRequest {
  return {
    request_id: requestId,
    text,
    context: {},
    catalog_version: null,
    allowed_workflow_ids: null,
    blocked_workflow_ids: [],
    event_type: null,
    language: null,
    debug: false,
  };
}

async function answer<T extends RouteResponse | ShortlistResponse>(
  request: FastifyRequest,
  reply: FastifyReply,
  options: RouteEndpointOptions,
  ask: (router: Router, ...asked: Parameters<Router["route"]>) => Promise<T>,
): Promise<T> {
  useRequestId(request, reply, bodyRequestId(request.body) ?? request.id);
  const payload = readRouteRequest(request.body, request.id);
  const signal = disconnectSignal(request.socket);
  return options.runtime.withRouter(async (router, generation) => {
    request.servedBy = { generation, bundleId: router.bundleId };
    requireCatalogVersion(router.lineage, payload);
    const authorized = await authorize(request, payload, router, options);
    const response = await ask(router, authorized, signal, request.observer);
    options.runtime.sawReadiness(response.reason_code !== "RUNTIME_INTEGRITY_FAILURE");
    return response;
  });
}

/** Applies the caller's grant to the request; an event is ignored if the caller may not name one. */
export async function authorize(
  request: FastifyRequest,
  payload: RouteRequest,
  router: Router,
  options: RouteEndpointOptions,
): Promise<RouteRequest> {
  if (options.authorizer === null) return payload;
  const { workflowIds, events } = await askedGrant(options.authorizer, request, payload, {
    timeoutMs: options.authorizerTimeoutMs,
    known: router.workflowIds,
  });
  const production = router.lineage.runtime_mode === "production";
  const allowedWorkflowIds = effectiveAllowList(payload.allowed_workflow_ids, workflowIds, production);
  return { ...payload, allowed_workflow_ids: allowedWorkflowIds, event_type: events ? payload.event_type : null };
}
