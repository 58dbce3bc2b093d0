import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { emitSafely, type HttpEvent, type TelemetrySink } from "../../src/telemetry/sink.js";
import { headerRequestId } from "../request-state.js";

/** Status that is logged when the client left before its answer; it is never sent. */
const clientClosedRequest = 499;

/** One HttpEvent per exchange, when its connection side is finished or gone. */
export function addAccessLog(app: FastifyInstance, telemetry: TelemetrySink): void {
  app.addHook("onRequest", (request, reply, done) => {
    const begin = performance.now();
    reply.raw.once("close", () => {
      const latencyMs = Math.round((performance.now() - begin) * 1000) / 1000;
      emitSafely(telemetry, { ...exchange(request, reply), latencyMs });
    });
    done();
  });
}

function exchange(request: FastifyRequest, reply: FastifyReply): Omit<HttpEvent, "latencyMs"> {
  const fromHeader = headerRequestId(request.headers);
  return {
    event: "sluice.http",
    requestId: request.id,
    headerRequestId: fromHeader === request.id ? null : fromHeader,
    method: request.method,
    route: request.routeOptions.url ?? "(none)",
    statusCode: reply.raw.writableFinished ? reply.statusCode : clientClosedRequest,
    errorCode: request.failure?.code ?? null,
    errorCause: causeName(request.failure?.cause),
    generation: request.servedBy?.generation ?? null,
    bundleId: request.servedBy?.bundleId ?? null,
  };
}

function causeName(cause: unknown): string | null {
  if (cause === undefined) return null;
  return cause instanceof Error ? cause.name : typeof cause;
}
