import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { SluiceError } from "../../src/errors/error.js";

export interface OverloadLimits {
  /** Requests that may be read completely and not answered. */
  readonly maxWaiting: number;
  /** Delay of the event loop. */
  readonly maxEventLoopDelayMs: number;
}

/** Current state of the server. */
export interface Load {
  /** Scoring threads: as many requests are always accepted, so that the time of a request is measured again. */
  readonly threads: number;
  /** Milliseconds from the acceptance of a request to its deadline. */
  readonly deadlineMs: () => number;
  readonly eventLoopDelayMs: () => number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Share of the deadline within which an accepted request must be expected to be answered. */
const usableShare = 0.7;
/** Weight of the latest answer in the mean time of a request. */
const weightOfLatest = 0.1;

/**
 * Expected time in the queue, from the answers so far: a request that was the n-th when it was accepted and took t
 * milliseconds says that the server takes t / n for each.
 */
export class QueueTime {
  #waiting = 0;
  #eachMs = 0;

  /** Requests that are read and not answered. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Milliseconds until a request that is accepted now is answered; 0 before the first answer. */
  expectedMs(): number {
    return (this.#waiting + 1) * this.#eachMs;
  }

  /** Accepts a request. @returns counts its answer, once */
  accept(now: () => number): () => void {
    this.#waiting += 1;
    const [place, begin] = [this.#waiting, now()];
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#waiting -= 1;
      const eachMs = (now() - begin) / place;
      this.#eachMs = this.#eachMs === 0 ? eachMs : this.#eachMs + weightOfLatest * (eachMs - this.#eachMs);
    };
  }
}

/**
 * Refuses route requests that would not be answered in time: before their body is read, and again when it is read,
 * because others may have arrived meanwhile. A refused caller is told when to try again. Health requests are always
 * answered.
 */
export function addOverloadGuard(app: FastifyInstance, limits: OverloadLimits, load: Load): void {
  const queue = new QueueTime();
  const accepted = new WeakMap<FastifyRequest, () => void>();
  const refusal = (): SluiceError | null => {
    const delayMs = load.eventLoopDelayMs();
    if (queue.waiting < load.threads) return null;
    if (delayMs > limits.maxEventLoopDelayMs) return overloaded(`the event loop is ${Math.round(delayMs)} ms late`);
    if (queue.waiting >= limits.maxWaiting) return overloaded(`${queue.waiting} requests are waiting`);
    const expectedMs = queue.expectedMs();
    if (expectedMs <= usableShare * load.deadlineMs()) return null;
    return overloaded(`an answer is expected after ${Math.round(expectedMs)} ms, which is too late`);
  };
  const check = (reply: FastifyReply): SluiceError | null => {
    const failure = refusal();
    if (failure !== null) reply.header("retry-after", String(Math.max(1, Math.ceil(queue.expectedMs() / 1000))));
    return failure;
  };
  app.addHook("onRequest", (request, reply, done) => {
    done(request.routeOptions.url === "/v1/route" ? (check(reply) ?? undefined) : undefined);
  });
  app.addHook("preHandler", (request, reply, done) => {
    if (request.routeOptions.url !== "/v1/route") return done();
    const failure = check(reply);
    if (failure !== null) return done(failure);
    const answered = queue.accept(load.now);
    accepted.set(request, answered);
    // A caller that disconnects gets no answer.
    reply.raw.once("close", answered);
    return done();
  });
  app.addHook("onSend", (request, _reply, _payload, done) => {
    accepted.get(request)?.();
    done();
  });
}

const overloaded = (text: string): SluiceError => new SluiceError("SERVER_OVERLOADED", text);
