import type { FastifyInstance, FastifyRequest } from "fastify";
import { SluiceError } from "../../src/base/error.js";
import type { RouteRequest } from "../../src/documents/request.js";
import { disconnectSignal } from "../request-state.js";
import { authorize, plainRequest, type RouteEndpointOptions } from "./route.js";

/** The request that the authorizer receives: the query of a tool call, or an empty text for any other message. */
function payloadOf({ id, body }: FastifyRequest): RouteRequest {
  const { params } = (body ?? {}) as { readonly params?: { readonly arguments?: { readonly query?: unknown } } };
  const query = params?.arguments?.query;
  return plainRequest(id, typeof query === "string" ? query : "");
}

/** The answer to a batch, which the protocol dropped in version 2025-06-18: one request would cost as much as many. */
const batchRefused = {
  jsonrpc: "2.0",
  error: { code: -32600, message: "batches are not accepted; send each message by itself" },
  id: null,
};

/** Time in milliseconds for what the router does not limit itself: building the answer. */
const answerMs = 500;

/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions. Every request carries one message,
 * which is admitted, authorized and timed like a route request; a search finds only tools that the caller may use.
 */
export function addMcpEndpoint(app: FastifyInstance, options: RouteEndpointOptions): void {
  app.post("/mcp", async (request, reply) => {
    if (Array.isArray(request.body)) return reply.code(400).send(batchRefused);
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
      const { accept, "mcp-protocol-version": version } = request.headers;
      const headers = { accept, "mcp-protocol-version": typeof version === "string" ? version : undefined };
      const answering = answerMessage(request.body, headers, {
        router,
        requestId: request.id,
        find: async (asked) => {
          const allowed = { ...asked, allowed_workflow_ids: allowedWorkflowIds };
          const found = await router.shortlist(allowed, signal, request.observer);
          options.runtime.sawReadiness(found.reason_code !== "RUNTIME_INTEGRITY_FAILURE");
          return found;
        },
      });
      const limitMs = (router.monitor?.deadlineMs ?? developmentLimitMs) + answerMs;
      return answeredInTime(answering, limitMs, signal);
    });
    return answer.body === null ? reply.code(answer.status).send() : reply.code(answer.status).send(answer.body);
  });
}

/** Time limit in milliseconds where no policy has a deadline. */
const developmentLimitMs = 30_000;

/**
 * Waits for an answer until the time is over or the client has left, so that no message holds a router or a place in
 * the queue for longer. @throws {SluiceError} DEADLINE_EXCEEDED
 */
async function answeredInTime<T>(answering: Promise<T>, limitMs: number, signal: AbortSignal): Promise<T> {
  const ended = new AbortController();
  const end = AbortSignal.any([signal, ended.signal]);
  const over = new Promise<never>((_, reject) => {
    const refuse = (): void => reject(new SluiceError("DEADLINE_EXCEEDED", "the message was not answered in time"));
    if (signal.aborted) refuse();
    end.addEventListener("abort", refuse, { once: true });
  });
  const timer = setTimeout(() => ended.abort(), limitMs);
  try {
    return await Promise.race([answering, over]);
  } finally {
    clearTimeout(timer);
    ended.abort();
  }
}
