import type { FastifyInstance } from "fastify";
import type { SpanExporter } from "../tracing/span-exporter.js";
import { RequestTrace, type TraceClock } from "../tracing/request-trace.js";

const traced = { method: "POST", url: "/v1/route" } as const;

/** Follows each route request through the server and hands its spans to the exporter after the answer. */
export function addTracing(app: FastifyInstance, exporter: Pick<SpanExporter, "add">, clock: TraceClock): void {
  app.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.url !== traced.url || request.method !== traced.method) return;
    const trace = new RequestTrace(request.headers["traceparent"], clock);
    if (!trace.sampled) return;
    request.observer = trace;
    reply.raw.once("close", () => {
      const { failure, servedBy } = request;
      const spans = trace.end(`${traced.method} ${traced.url}`, {
        statusCode: reply.statusCode,
        errorCode: failure?.code ?? null,
        generation: servedBy?.generation ?? null,
        bundleId: servedBy?.bundleId ?? null,
      });
      exporter.add(spans);
    });
  });
}
