import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RouteRequest } from "../../src/domain/request.js";
import type { Router } from "../../src/domain/router.js";
import { requireCatalogVersion } from "../../src/routing/require-catalog-version.js";
import type { RouterRuntime } from "../../src/routing/runtime.js";
import { askedGrant, type Authorizer, effectiveAllowList } from "../authorizer.js";
import { disconnectSignal } from "../disconnect-signal.js";
import { bodyRequestId, readRouteRequest } from "../request-body.js";
import { useRequestId } from "../request-state.js";
import { routeResponseBody, shortlistBody } from "../response-body.js";

export interface RouteEndpointOptions {
  readonly runtime: RouterRuntime;
  /** null in development: the client's list is taken as it is. */
  readonly authorizer: Authorizer | null;
  readonly authorizerTimeoutMs: number;
}

/** Addresses whose requests are scored. */
export const scoringPaths: readonly string[] = ["/v1/route", "/v1/shortlist", "/mcp"];

/** `POST /v1/route` and `POST /v1/shortlist`: schema (422), catalog version (409), authorization (403, 500), router. */
export function addRouteEndpoints(app: FastifyInstance, options: RouteEndpointOptions): void {
  app.post("/v1/route", async (request, reply) => {
    const response = await answer(request, reply, options, (router, ...asked) => router.route(...asked));
    return routeResponseBody(response);
  });
  app.post("/v1/shortlist", async (request, reply) => {
    const response = await answer(request, reply, options, (router, ...asked) => router.shortlist(...asked));
    return shortlistBody(response);
  });
}

async function answer<T>(
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
    return ask(router, authorized, signal, request.observer);
  });
}

/** The request as far as the caller's grant covers it: an event without permission is ignored. */
export async function authorize(
  request: FastifyRequest,
  payload: RouteRequest,
  router: Router,
  options: RouteEndpointOptions,
): Promise<RouteRequest> {
  if (options.authorizer === null) return payload;
  const { workflowIds, events } = await askedGrant(options.authorizer, request, payload, options.authorizerTimeoutMs);
  const production = router.lineage.runtimeMode === "production";
  const allowedWorkflowIds = effectiveAllowList(payload.allowedWorkflowIds, workflowIds, production);
  return { ...payload, allowedWorkflowIds, eventType: events ? payload.eventType : null };
}
