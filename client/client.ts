import { type Answer, answersTo, readAnswer, type Lineage, readLineage } from "./answer.js";
import { boundedText, type Fetch, type FetchInit, type FetchReply, type JsonObject, parseObject } from "./fetch.js";
import { NoAnswer, readProblem, retryAfterSeconds } from "./problem.js";
import type { RouteRequest } from "./request.js";
import { listsFor, readShortlist, type Shortlist } from "./shortlist.js";

type HeaderValues = Readonly<Record<string, string>>;

export interface ClientOptions {
  /** Address of the service, for example `https://router.example.com`; a path before `/v1/route` is preserved. */
  readonly baseUrl: string;
  /** Default: the platform's `fetch`. */
  readonly fetch?: Fetch;
  /** Sent with every request, for example a bearer token. A function is called before each request. */
  readonly headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>);
  /** Time limit of one call, including a retry. Default: 5,000 ms. */
  readonly timeoutMs?: number;
  /** Default: the platform's clock. */
  readonly clock?: ClientClock;
}

export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

interface Call extends CallOptions {
  readonly path: string;
  readonly body?: string;
  /** Whether a 503 is retried, once. */
  readonly retry: boolean;
}

interface Reply {
  readonly reply: FetchReply;
  readonly text: string;
}

const defaultTimeoutMs = 5000;

/** Client of one service. It has no state and is safe to share. */
export class SluiceClient {
  private readonly base: string;
  private readonly options: ClientOptions;
  private readonly fetch: Fetch;
  private readonly clock: ClientClock;

  /** @throws {TypeError} when `baseUrl` is not an http or https address */
  constructor(options: ClientOptions) {
    if (!/^https?:\/\/[^/]/u.test(options.baseUrl)) {
      throw new TypeError("baseUrl must begin with http:// or https:// and a host");
    }
    this.options = options;
    this.base = options.baseUrl.replace(/\/+$/u, "");
    // Browsers reject `fetch` when it is called as a method of another object.
    this.fetch = options.fetch ?? ((address, init) => globalThis.fetch(address, init));
    this.clock = options.clock ?? systemClock;
  }

  /**
   * Routes one request. A 503 with `Retry-After` is retried once if time allows.
   * @throws {Problem} when the service answers with an error
   * @throws {NoAnswer} when no usable response arrives in time
   */
  async route(request: RouteRequest, options: CallOptions = {}): Promise<Answer> {
    const call: Call = { ...options, path: "/v1/route", body: JSON.stringify(request), retry: true };
    return this.read(await this.call(call), [200], (body) => {
      const answer = readAnswer(body);
      return answer !== null && answersTo(request, answer) ? answer : null;
    });
  }

  /** Lists the few workflows that a request may mean. @throws as `route` */
  async shortlist(request: RouteRequest, options: CallOptions = {}): Promise<Shortlist> {
    const call: Call = { ...options, path: "/v1/shortlist", body: JSON.stringify(request), retry: true };
    return this.read(await this.call(call), [200], (body) => {
      const shortlist = readShortlist(body);
      return shortlist !== null && listsFor(request, shortlist) ? shortlist : null;
    });
  }

  /** State of the server. @throws as `route` */
  async health(options: CallOptions = {}): Promise<Health> {
    return this.read(await this.call({ ...options, path: "/health", retry: false }), [200], readHealth);
  }

  /** State of the server as a load balancer sees it; `ready` is false with status 503. @throws as `route` */
  async ready(options: CallOptions = {}): Promise<Health> {
    return this.read(await this.call({ ...options, path: "/health/ready", retry: false }), [200, 503], readHealth);
  }

  private read<T>({ reply, text }: Reply, expected: readonly number[], parse: (body: JsonObject) => T | null): T {
    const body = expected.includes(reply.status) ? parseObject(text) : null;
    const found = body === null ? null : parse(body);
    if (found !== null) return found;
    const problem = readProblem(reply, text);
    if (problem !== null) throw problem;
    throw new NoAnswer("malformed", `status ${reply.status} with a body that this service does not send`, {
      status: reply.status,
    });
  }

  private call(call: Call): Promise<Reply> {
    const timeoutMs = call.timeoutMs ?? this.options.timeoutMs ?? defaultTimeoutMs;
    return withDeadline({ timeoutMs, signal: call.signal, clock: this.clock }, async (deadline) => {
      const first = await this.exchange(call, deadline);
      const pauseMs = call.retry ? pauseBeforeRetry(first) : null;
      if (pauseMs === null || pauseMs >= deadline.leftMs()) return first;
      await this.clock.wait(pauseMs, deadline.signal);
      return this.exchange(call, deadline);
    });
  }

  private async exchange({ path, body }: Call, { signal }: Deadline): Promise<Reply> {
    const given = this.options.headers ?? {};
    const headers = { ...(typeof given === "function" ? await given() : given), accept: "application/json" };
    const common = { headers, signal, redirect: "error" } as const;
    const init: FetchInit =
      body === undefined
        ? { ...common, method: "GET" }
        : { ...common, method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
    try {
      const reply = await this.fetch(`${this.base}${path}`, init);
      const text = await boundedText(reply);
      if (text !== null) return { reply, text };
      throw new NoAnswer("malformed", "the response is longer than this service sends", { status: reply.status });
    } catch (cause) {
      if (cause instanceof NoAnswer) throw cause;
      throw new NoAnswer("unreachable", "the service could not be reached, or the response was cut off", { cause });
    }
  }
}

/**
 * Pause before the retry; null unless the service, or a proxy in front of it, is unavailable and states when to retry.
 */
function pauseBeforeRetry({ reply }: Reply): number | null {
  const seconds = reply.status === 503 ? retryAfterSeconds(reply) : null;
  return seconds === null ? null : seconds * 1000;
}

interface Deadline {
  /** Aborted at the deadline or by the caller. */
  readonly signal: AbortSignal;
  leftMs(): number;
}

interface DeadlineOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: ClientClock;
}

/**
 * Runs `work` until the deadline, even when it ignores the signal.
 * @throws {NoAnswer} timeout, cancelled; otherwise what `work` throws
 */
async function withDeadline<T>(options: DeadlineOptions, work: (deadline: Deadline) => Promise<T>): Promise<T> {
  const { timeoutMs, signal: outer, clock } = options;
  if (outer?.aborted === true) throw cancelled();
  const inner = new AbortController();
  const end = clock.now() + timeoutMs;
  let leave: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    const stop = (error: NoAnswer): void => {
      reject(error);
      inner.abort();
    };
    leave = () => stop(cancelled());
    outer?.addEventListener("abort", leave);
    void clock.wait(timeoutMs, inner.signal).then(() => stop(timedOut(timeoutMs)));
  });
  // Whichever outcome comes second is ignored.
  ended.catch(() => undefined);
  const done = work({ signal: inner.signal, leftMs: () => end - clock.now() });
  done.catch(() => undefined);
  try {
    return await Promise.race([ended, done]);
  } finally {
    outer?.removeEventListener("abort", leave);
    inner.abort();
  }
}

function cancelled(): NoAnswer {
  return new NoAnswer("cancelled", "the caller cancelled the request");
}

function timedOut(timeoutMs: number): NoAnswer {
  return new NoAnswer("timeout", `no answer within ${timeoutMs} ms`);
}

/** The clock of the client; tests pass another one. */
export interface ClientClock {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Resolves after this time, or as soon as the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: ClientClock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener("abort", end);
    }),
};

export interface Health extends Lineage {
  readonly status: "ok" | "not_ready" | "drifting" | (string & {});
  /** Whether the active bundle is able to serve requests. */
  readonly ready: boolean;
  /** Increases with every replacement and rollback. */
  readonly generation: number;
}

/** Reads the state from the body of `/health` or `/health/ready`; null if the body has another shape. */
function readHealth(body: JsonObject): Health | null {
  const lineage = readLineage(body);
  const { status, ready, generation } = body;
  if (lineage === null || typeof status !== "string" || typeof ready !== "boolean") return null;
  return typeof generation === "number" ? { status, ready, generation, ...lineage } : null;
}
