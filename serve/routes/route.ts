import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RouteRequest } from "../../src/documents/request.js";
import type { Router } from "../../src/documents/router.js";
import type { RouteResponse, ShortlistResponse } from "../../src/documents/response.js";
import { within } from "../../src/documents/run-scope.js";
import type { Shortlist } from "../../src/documents/shortlist.js";
import { SluiceError } from "../../src/base/error.js";
import { emptyShortlist } from "../../src/router/policy/shortlist.js";
import { requireCatalogVersion } from "../../src/router/require-catalog-version.js";
import type { RouterRuntime } from "../../src/router/runtime.js";
import { askedGrant, type Authorizer, effectiveAllowList } from "../authorizer.js";
import { disconnectSignal, useRequestId } from "../request-state.js";
import { callerDigest, KeptShortlists } from "../kept-shortlists.js";
import { bodyRequestId, readRouteRequest, readShortlistId } from "../request-body.js";
import { routeResponseBody, shortlistBody } from "../response-body.js";

export interface RouteEndpointOptions {
  readonly runtime: RouterRuntime;
  /** null in development, where the client's list is used unchanged. */
  readonly authorizer: Authorizer | null;
  readonly authorizerTimeoutMs: number;
}

/** Maximum time to wait for a check of changed bundle files, in milliseconds. */
const longestLookMs = 1000;

/** Paths that score requests. */
export const scoringPaths: readonly string[] = ["/v1/route", "/v1/shortlist", "/mcp"];

/**
 * `POST /v1/route` and `POST /v1/shortlist`: schema (422), catalog version (409), authorization (403, 500), router. The
 * response to a declined request has a header `x-shortlist-id`, with which `POST /v1/shortlist` returns the stored
 * shortlist without scoring again.
 */
export function addRouteEndpoints(app: FastifyInstance, options: RouteEndpointOptions): void {
  const kept = new KeptShortlists(() => performance.now());
  app.post("/v1/route", async (request, reply) => {
    const response = await answer(request, reply, options, (router, ...asked) => router.route(...asked));
    const id = keep(kept, request, response, options);
    if (id !== null) reply.header("x-shortlist-id", id);
    return routeResponseBody(response);
  });
  app.post("/v1/shortlist", async (request, reply) => {
    const id = readShortlistId(request.body);
    if (id !== null) return shortlistBody(await fetchKept(id, kept, request, reply, options));
    const response = await answer(request, reply, options, (router, ...asked) => router.shortlist(...asked));
    return shortlistBody(response);
  });
}

/**
 * @returns the id of the stored shortlist; null if there is none, if it is empty, or if the caller is not identified
 */
function keep(
  kept: KeptShortlists,
  request: FastifyRequest,
  { decision, shortlist }: RouteResponse,
  options: RouteEndpointOptions,
): string | null {
  if (decision !== "LLM_REQUIRED" || shortlist === null || shortlist.workflows.length === 0) return null;
  const caller = callerOf(request, options);
  const generation = request.servedBy?.generation;
  return caller === null || generation === undefined ? null : kept.keep({ caller, generation, shortlist });
}

/** Digest of the caller's identity. Without an authorizer, all callers count as one. */
const callerOf = ({ scope }: FastifyRequest, { authorizer }: RouteEndpointOptions): string | null =>
  callerDigest(scope.authenticated_principal ?? (authorizer === null ? "development" : null));

/**
 * Returns a stored shortlist if the caller may still use all of its workflows.
 * @throws {SluiceError} SHORTLIST_UNKNOWN; those of authorization
 */
async function fetchKept(
  id: string,
  kept: KeptShortlists,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RouteEndpointOptions,
): Promise<ShortlistResponse> {
  const started = performance.now();
  request.isUnscored = true;
  useRequestId(request, reply, bodyRequestId(request.body) ?? request.id);
  const signal = disconnectSignal(request.socket);
  return options.runtime.withRouter(async (router, generation) => {
    request.servedBy = { generation, bundleId: router.bundleId };
    const { allowed_workflow_ids: allowedWorkflowIds } = await authorize(
      request,
      plainRequest(request.id, ""),
      router,
      options,
    );
    const caller = callerOf(request, options);
    const found = caller === null ? null : kept.find(id, { caller, generation });
    if (found === null || !mayUse(found, allowedWorkflowIds, options)) {
      throw new SluiceError("SHORTLIST_UNKNOWN", "this caller has no shortlist with this id", {
        hint: "Send the request itself to POST /v1/shortlist.",
      });
    }
    const scope = within(longestLookMs, { now: () => performance.now() }, signal);
    const isInOrder = (await router.integrityChecked(scope)).length === 0;
    options.runtime.sawReadiness(isInOrder);
    return {
      request_id: request.id,
      ...(isInOrder ? found : emptyShortlist("RUNTIME_INTEGRITY_FAILURE")),
      ...router.lineage,
      latency_ms: Math.round((performance.now() - started) * 1000) / 1000,
    };
  });
}

function mayUse(
  { workflows }: Shortlist,
  allowed: RouteRequest["allowed_workflow_ids"],
  { authorizer }: RouteEndpointOptions,
): boolean {
  if (authorizer === null) return true;
  const granted = new Set<string>(allowed);
  return workflows.every(({ workflow_id: workflowId }) => granted.has(workflowId));
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
