import type { FastifyInstance } from "fastify";
import { SluiceError } from "../../src/errors/error.js";

export interface OverloadLimits {
  /** Model runs that may wait for a thread. */
  readonly maxWaiting: number;
  /** Delay of the event loop. */
  readonly maxEventLoopDelayMs: number;
}

/** Current overload of the server, if any. */
export interface Load {
  readonly waiting: () => number;
  readonly eventLoopDelayMs: () => number;
}

/** Seconds after which a refused caller may try again. */
const retryAfterSeconds = "1";

/**
 * Refuses route requests before their body is read while the server is overloaded. Health requests are always
 * answered.
 */
export function addOverloadGuard(app: FastifyInstance, limits: OverloadLimits, load: Load): void {
  app.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.url !== "/v1/route") return;
    const waiting = load.waiting();
    const delayMs = load.eventLoopDelayMs();
    if (waiting <= limits.maxWaiting && delayMs <= limits.maxEventLoopDelayMs) return;
    reply.header("retry-after", retryAfterSeconds);
    const text = `${waiting} model runs are waiting and the event loop is ${Math.round(delayMs)} ms late`;
    throw new SluiceError("SERVER_OVERLOADED", text);
  });
}
