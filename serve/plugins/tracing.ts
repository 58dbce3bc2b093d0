import type { FastifyInstance } from "fastify";
import type { SpanExporter } from "../tracing/span-exporter.js";
import { scoringPaths } from "../routes/route.js";
import { RequestTrace, type TraceClock } from "../tracing/request-trace.js";

/** Traces each scoring request through the server, and passes its spans to the exporter after the response. */
export function addTracing(app: FastifyInstance, exporter: Pick<SpanExporter, "add">, clock: TraceClock): void {
  app.addHook("onRequest", async (request, reply) => {
    const { url } = request.routeOptions;
    if (url === undefined || !scoringPaths.includes(url) || request.method !== "POST") return;
    const trace = new RequestTrace(request.headers["traceparent"], clock);
    if (!trace.sampled) return;
    request.observer = trace;
    reply.raw.once("close", () => {
      const { failure, servedBy } = request;
      const spans = trace.end(`POST ${url}`, {
        statusCode: reply.statusCode,
        errorCode: failure?.code ?? null,
        generation: servedBy?.generation ?? null,
        bundleId: servedBy?.bundleId ?? null,
      });
      exporter.add(spans);
    });
  });
}
