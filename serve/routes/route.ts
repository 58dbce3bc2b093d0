import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RouteRequest } from "../../src/domain/request.js";
import type { Router } from "../../src/domain/router.js";
import { requireCatalogVersion } from "../../src/routing/require-catalog-version.js";
import type { RouterRuntime } from "../../src/routing/runtime.js";
import { askedGrant, type Authorizer, effectiveAllowList } from "../authorizer.js";
import { disconnectSignal } from "../disconnect-signal.js";
import { bodyRequestId, readRouteRequest } from "../request-body.js";
import { useRequestId } from "../request-state.js";
import { routeResponseBody } from "../response-body.js";

export interface RouteEndpointOptions {
  readonly runtime: RouterRuntime;
  /** null in development: the client's list is taken as it is. */
  readonly authorizer: Authorizer | null;
  readonly authorizerTimeoutMs: number;
}

/** `POST /v1/route`: schema (422), catalog version (409), authorization (403, 500), then the router. */
export function addRouteEndpoint(app: FastifyInstance, options: RouteEndpointOptions): void {
  app.post("/v1/route", async (request, reply) => {
    useRequestId(request, reply, bodyRequestId(request.body) ?? request.id);
    const payload = readRouteRequest(request.body, request.id);
    const signal = disconnectSignal(request.socket);
    const response = await options.runtime.withRouter(async (router, generation) => {
      request.servedBy = { generation, bundleId: router.bundleId };
      requireCatalogVersion(router.lineage, payload);
      const authorized = await authorize(request, payload, router, options);
      return router.route(authorized, signal, request.observer);
    });
    return routeResponseBody(response);
  });
}

/** The request as far as the caller's grant covers it: an event without permission is ignored. */
async function authorize(
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
