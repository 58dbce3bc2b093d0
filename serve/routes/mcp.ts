import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RouteRequest } from "../../src/documents/request.js";
import { disconnectSignal } from "../request-state.js";
import { authorize, plainRequest, type RouteEndpointOptions } from "./route.js";

const passedHeaders = ["accept", "content-type", "mcp-protocol-version"] as const;

/** The request that the authorizer receives: the query of a tool call, or an empty text for any other message. */
function payloadOf({ id, body }: FastifyRequest): RouteRequest {
  const { params } = (body ?? {}) as { readonly params?: { readonly arguments?: { readonly query?: unknown } } };
  const query = params?.arguments?.query;
  return plainRequest(id, typeof query === "string" ? query : "");
}

/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions. Every message is authorized like a
 * route request, and a search finds only tools that the caller may use.
 */
export function addMcpEndpoint(app: FastifyInstance, options: RouteEndpointOptions): void {
  app.post("/mcp", async (request, reply) => {
    const signal = disconnectSignal(request.socket);
    const { answerMessage } = await import("../mcp/find-tools.js");
    const answer = await options.runtime.withRouter(async (router, generation) => {
      request.servedBy = { generation, bundleId: router.bundleId };
      const { allowed_workflow_ids: allowedWorkflowIds } = await authorize(
        request,
        payloadOf(request),
        router,
        options,
      );
      const headers = passedHeaders.flatMap((name) => {
        const value = request.headers[name];
        return typeof value === "string" ? [[name, value] as const] : [];
      });
      return answerMessage(request.body, Object.fromEntries(headers), {
        router,
        requestId: request.id,
        find: async (asked) => {
          const allowed = { ...asked, allowed_workflow_ids: allowedWorkflowIds };
          const found = await router.shortlist(allowed, signal, request.observer);
          options.runtime.sawReadiness(found.reason_code !== "RUNTIME_INTEGRITY_FAILURE");
          return found;
        },
      });
    });
    if (answer.contentType !== null) reply.header("content-type", answer.contentType);
    return reply.code(answer.status).send(answer.text);
  });
}
