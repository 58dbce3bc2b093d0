import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { SluiceError } from "../../src/base/error.js";
import { emitSafely, type HttpEvent, type TelemetrySink } from "../../src/router/telemetry/sink.js";
import { headerRequestId } from "../request-state.js";

/** Logged status if the client disconnects before the response; never sent. */
const clientClosedRequest = 499;

/** An unfinished exchange, and the failure for which its connection was refused. */
export interface OpenExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  refusal: SluiceError | null;
}

/** Emits one HttpEvent per exchange or refused connection. */
export class AccessLog {
  readonly #telemetry: TelemetrySink;
  readonly #open = new WeakMap<Duplex, OpenExchange>();

  constructor(telemetry: TelemetrySink) {
    this.#telemetry = telemetry;
  }

  /** Logs an exchange when its response is finished or its connection is closed. */
  begin(request: FastifyRequest, reply: FastifyReply): void {
    const begin = performance.now();
    const { socket } = request;
    const exchange: OpenExchange = { request, reply, refusal: null };
    this.#open.set(socket, exchange);
    reply.raw.once("close", () => {
      if (this.#open.get(socket) === exchange) this.#open.delete(socket);
      const latencyMs = Math.round((performance.now() - begin) * 1000) / 1000;
      emitSafely(this.#telemetry, { ...httpEventOf(exchange), latency_ms: latencyMs });
    });
  }

  /** The most recent unfinished exchange of a connection. */
  openExchange(socket: Duplex): OpenExchange | undefined {
    return this.#open.get(socket);
  }

  /** Logs a connection that was refused before a request existed, or marks the exchange that the refusal ends. */
  refused(socket: Duplex, failure: SluiceError, requestId: string, method = "(none)"): void {
    const exchange = this.#open.get(socket);
    if (exchange !== undefined) {
      exchange.refusal = failure;
      return;
    }
    emitSafely(this.#telemetry, {
      event: "sluice.http",
      request_id: requestId,
      header_request_id: null,
      method,
      route: "(none)",
      status_code: failure.entry.httpStatus,
      error_code: failure.code,
      error_cause: null,
      latency_ms: 0,
      generation: null,
      bundle_id: null,
    });
  }
}

function httpEventOf(exchange: OpenExchange): Omit<HttpEvent, "latency_ms"> {
  const { request } = exchange;
  const fromHeader = headerRequestId(request.headers);
  return {
    event: "sluice.http",
    request_id: request.id,
    header_request_id: fromHeader === request.id ? null : fromHeader,
    method: request.method,
    route: request.routeOptions.url ?? "(none)",
    ...outcomeOf(exchange),
    error_cause: causeName(request.failure?.cause),
    generation: request.servedBy?.generation ?? null,
    bundle_id: request.servedBy?.bundleId ?? null,
  };
}

function outcomeOf({ request, reply, refusal }: OpenExchange): Pick<HttpEvent, "status_code" | "error_code"> {
  const unfinished = refusal?.entry.httpStatus ?? clientClosedRequest;
  const errorCode = (request.failure ?? refusal)?.code ?? null;
  return { status_code: reply.raw.writableFinished ? reply.statusCode : unfinished, error_code: errorCode };
}

function causeName(cause: unknown): string | null {
  if (cause === undefined) return null;
  return cause instanceof Error ? cause.name : typeof cause;
}
