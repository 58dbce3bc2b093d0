import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";

/**
 * Sends `100 Continue` once every hook has accepted the headers and the body is about to be read, so that a refused
 * request gets its error response first. Hooks refuse other expectations.
 */
export function addExpectation(app: FastifyInstance): void {
  const waiting = new WeakSet<IncomingMessage>();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    app.server.emit("request", request, response);
  };
  app.server.on("checkContinue", (request, response) => {
    waiting.add(request);
    handle(request, response);
  });
  app.server.on("checkExpectation", handle);
  app.addHook("preParsing", (request, reply, _payload, done) => {
    if (waiting.has(request.raw)) reply.raw.writeContinue();
    done();
  });
}
