import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { SluiceError } from "../../src/base/error.js";
import { scoringPaths } from "../routes/route.js";

export interface OverloadLimits {
  /** Maximum number of requests in progress. */
  readonly maxWaiting: number;
  readonly maxEventLoopDelayMs: number;
}

/** Current state of the server. */
export interface Load {
  /**
   * Number of scoring threads. As many requests are always accepted, so that the queue time is always being measured.
   */
  readonly threads: number;
  /** Milliseconds from the acceptance of a request to its deadline. */
  readonly deadlineMs: () => number;
  readonly eventLoopDelayMs: () => number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Share of the deadline within which the response to an accepted request must be expected. */
const usableShare = 0.7;
/** Weight of the latest measurement in the mean time per request. */
const weightOfLatest = 0.1;

/**
 * Minimum time between two refusals in milliseconds. Refusals then take at most a tenth of a core, whatever callers do.
 */
const refusalEveryMs = 2;
/** Maximum time in milliseconds that a refused caller waits for the refusal. */
const longestRefusalMs = 2000;

/**
 * Expected time in the queue. A request that was n-th in the queue and took t milliseconds is a measurement of t / n
 * per request.
 */
export class QueueTime {
  #waiting = 0;
  #eachMs = 0;

  get waiting(): number {
    return this.#waiting;
  }

  /** Expected milliseconds until a request accepted at this moment is answered; 0 before the first answer. */
  expectedMs(): number {
    return (this.#waiting + 1) * this.#eachMs;
  }

  /**
   * Accepts a request.
   * @returns a function to call once when the request ends. An answer of the router is a measurement, as is a caller
   *   who left later than expected; a faulty request was never in the queue
   */
  accept(now: () => number): (end: "answered" | "left" | "at_fault") => void {
    this.#waiting += 1;
    const [place, begin] = [this.#waiting, now()];
    let isOver = false;
    return (end) => {
      if (isOver) return;
      isOver = true;
      this.#waiting -= 1;
      const eachMs = (now() - begin) / place;
      if (end === "at_fault" || (end === "left" && eachMs < this.#eachMs)) return;
      this.#eachMs = this.#eachMs === 0 ? eachMs : this.#eachMs + weightOfLatest * (eachMs - this.#eachMs);
    };
  }
}

/** Spreads refusals over time, so that callers that retry immediately do not take CPU time from accepted requests. */
export class RefusalPace {
  #nextAt = 0;

  /**
   * @returns milliseconds to wait before this refusal; 0 if none came shortly before
   */
  delayMs(now: number): number {
    const at = Math.min(Math.max(now, this.#nextAt), now + longestRefusalMs);
    this.#nextAt = at + refusalEveryMs;
    return at - now;
  }
}

/**
 * Refuses scoring requests that would not be answered in time. Checks before the body is read, and again afterwards,
 * because other requests may have arrived meanwhile. The refusal states when to retry; simultaneous refusals are sent
 * one after another. Health requests are always answered.
 */
export function addLoadShedding(app: FastifyInstance, limits: OverloadLimits, load: Load): void {
  const queue = new QueueTime();
  const pace = new RefusalPace();
  const accepted = new WeakMap<FastifyRequest, ReturnType<QueueTime["accept"]>>();
  const refusal = (): SluiceError | null => {
    const delayMs = load.eventLoopDelayMs();
    if (queue.waiting < load.threads) return null;
    if (delayMs > limits.maxEventLoopDelayMs) return overloaded(`the event loop is ${Math.round(delayMs)} ms late`);
    if (queue.waiting >= limits.maxWaiting) return overloaded(`${queue.waiting} requests are waiting`);
    const expectedMs = queue.expectedMs();
    if (expectedMs <= usableShare * load.deadlineMs()) return null;
    return overloaded(`an answer is expected after ${Math.round(expectedMs)} ms, which is too late`);
  };
  /** Accepts a request, or refuses it when its turn comes. */
  const admit = (reply: FastifyReply, accept: () => void, refuse: (failure: SluiceError) => void): void => {
    const failure = refusal();
    if (failure === null) return accept();
    reply.header("retry-after", String(Math.max(1, Math.ceil(queue.expectedMs() / 1000))));
    const delayMs = pace.delayMs(load.now());
    if (delayMs === 0) refuse(failure);
    else setTimeout(refuse, delayMs, failure);
  };
  app.addHook("onRequest", (request, reply, done) => {
    if (isScored(request)) admit(reply, done, done);
    else done();
  });
  app.addHook("preHandler", (request, reply, done) => {
    if (!isScored(request)) return done();
    const accept = (): void => {
      const ended = queue.accept(load.now);
      accepted.set(request, ended);
      reply.raw.once("close", () => ended("left"));
      done();
    };
    return admit(reply, accept, done);
  });
  app.addHook("onSend", (request, reply, _payload, done) => {
    accepted.get(request)?.(reply.statusCode === 200 ? "answered" : "at_fault");
    done();
  });
}

const isScored = ({ routeOptions }: FastifyRequest): boolean => scoringPaths.includes(routeOptions.url ?? "");

const overloaded = (text: string): SluiceError => new SluiceError("SERVER_OVERLOADED", text);
