import { randomUUID } from "node:crypto";
import type { BundleId } from "../src/documents/primitives.js";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { requestIdGrammar } from "../src/documents/request.js";
import type { RouteObserver } from "../src/documents/router.js";
import type { SluiceError } from "../src/base/error.js";

/** The caller's identity from hooks in front of the service; a free-form record. */
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
    /** Filled by an `onRequest` hook of the deployment, read by the authorizer. */
    scope: RequestScope;
    /** The failure that the answer reports. */
    failure: SluiceError | null;
    /** Bundle that the request was given to; null before that. */
    servedBy: ServedBy | null;
    /** Observes the router's stages; null for none. */
    observer: RouteObserver | null;
    /** true once the request was answered without a score. */
    isUnscored: boolean;
  }
}

/** Gives every request its scope and failure. Added first, so that later hooks can use them. */
export function addRequestState(app: FastifyInstance): void {
  app.decorateRequest("scope");
  app.decorateRequest("failure", null);
  app.decorateRequest("servedBy", null);
  app.decorateRequest("observer", null);
  app.decorateRequest("isUnscored", false);
  app.addHook("onRequest", (request, _reply, done) => {
    request.scope = {};
    done();
  });
}

/** `req_` and 32 hex digits. */
export function generateRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}

/** Id of the `x-request-id` header; null when there is none, or when it breaks the grammar. */
export function headerRequestId(headers: FastifyRequest["headers"]): string | null {
  const value = headers["x-request-id"];
  return typeof value === "string" && requestIdGrammar.test(value) ? value : null;
}

/** The id of the answer, in its header and its body. */
export function useRequestId(request: FastifyRequest, reply: FastifyReply, id: string): void {
  request.id = id;
  reply.header("x-request-id", id);
}
