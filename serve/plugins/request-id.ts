import type { FastifyInstance } from "fastify";
import { useRequestId } from "../request-state.js";

/**
 * Puts the id of the request (its header, or a generated one) into the response; the body may name another one later.
 */
export function addRequestId(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    useRequestId(request, reply, request.id);
    done();
  });
}
