import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RouteRequest } from "../../src/domain/request.js";
import type { Router } from "../../src/domain/router.js";
import { requireCatalogVersion } from "../../src/routing/require-catalog-version.js";
import type { RouterRuntime } from "../../src/routing/runtime.js";
import { type Authorizer, effectiveAllowList, grantedIds } from "../authorizer.js";
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
      const allowedWorkflowIds = await authorize(request, payload, router, options);
      return router.route({ ...payload, allowedWorkflowIds }, signal, request.observer);
    });
    return routeResponseBody(response);
  });
}

async function authorize(
  request: FastifyRequest,
  payload: RouteRequest,
  router: Router,
  options: RouteEndpointOptions,
): Promise<readonly string[] | null> {
  if (options.authorizer === null) return payload.allowedWorkflowIds;
  const requested = payload.allowedWorkflowIds;
  const granted = await grantedIds(options.authorizer, request, payload, options.authorizerTimeoutMs);
  return effectiveAllowList(requested, granted, router.lineage.runtimeMode === "production");
}
