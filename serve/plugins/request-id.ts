import type { FastifyInstance } from "fastify";
import { useRequestId } from "../request-state.js";

/**
 * Sends the request id in the response: the one in the request header, or a generated one. The body may replace it
 * later.
 */
export function addRequestId(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    useRequestId(request, reply, request.id);
    done();
  });
}
