import { randomUUID } from "node:crypto";
import type { BundleId } from "../src/documents/primitives.js";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { requestIdGrammar } from "../src/documents/request.js";
import type { RouteObserver } from "../src/documents/router.js";
import type { SluiceError } from "../src/base/error.js";
import type { Socket } from "node:net";

/** Free-form record of the caller's identity, filled by hooks in front of the service. */
export interface RequestScope {
  authenticated_principal?: unknown;
  [key: string]: unknown;
}

export interface ServedBy {
  readonly generation: number;
  readonly bundleId: BundleId | null;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Filled by an `onRequest` hook of the deployment; read by the authorizer. */
    scope: RequestScope;
    failure: SluiceError | null;
    /** Bundle that received the request; null before that. */
    servedBy: ServedBy | null;
    /** Observer of the router's stages; null for none. */
    observer: RouteObserver | null;
  }
}

/** Gives every request its state. Added first, so that later hooks can use it. */
export function addRequestState(app: FastifyInstance): void {
  app.decorateRequest("scope");
  app.decorateRequest("failure", null);
  app.decorateRequest("servedBy", null);
  app.decorateRequest("observer", null);
  app.addHook("onRequest", (request, _reply, done) => {
    request.scope = {};
    done();
  });
}

/** Generates `req_` and 32 hex digits. */
export function generateRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}

/** Id in the `x-request-id` header; null if the header is missing or malformed. */
export function headerRequestId(headers: FastifyRequest["headers"]): string | null {
  const value = headers["x-request-id"];
  return typeof value === "string" && requestIdGrammar.test(value) ? value : null;
}

/** Sets the request id that the response repeats in its header and body. */
export function useRequestId(request: FastifyRequest, reply: FastifyReply, id: string): void {
  request.id = id;
  reply.header("x-request-id", id);
}

const signals = new WeakMap<Socket, AbortSignal>();

/**
 * Aborts when the client's connection closes. All requests of a connection share one signal, because creating one costs
 * more than validating a request. A request that has been answered no longer listens to it.
 */
export function disconnectSignal(socket: Socket): AbortSignal {
  const known = signals.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  signals.set(socket, controller.signal);
  if (socket.destroyed) controller.abort();
  else socket.once("close", () => controller.abort());
  return controller.signal;
}
