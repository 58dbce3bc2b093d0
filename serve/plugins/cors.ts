import type { FastifyInstance } from "fastify";

const preflightHeaders = {
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "authorization, content-type, x-request-id",
  "access-control-max-age": "600",
} as const;

const exposedHeaders = "x-request-id";

/** Allows cross-origin access from the named origins only, without credentials. An empty list adds nothing. */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const named = new Set(origins);
  app.addHook("onRequest", async (request, reply) => {
    reply.header("vary", "Origin");
    const { origin } = request.headers;
    if (origin === undefined || !(named.has(origin) || named.has("*"))) return;
    reply.header("access-control-allow-origin", origin).header("access-control-expose-headers", exposedHeaders);
    const isPreflight = request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
    if (isPreflight) return reply.code(204).headers(preflightHeaders).send();
  });
}
