import type { BundleId } from "../../src/documents/primitives.js";
import type { Decision } from "../../src/documents/decision.js";
import type { RouteObserver, RouteStage } from "../../src/documents/router.js";
import type { Span } from "./span.js";
import { randomFillSync } from "node:crypto";

/** Trace context that a caller sends (W3C Trace Context, version 00). */
interface TraceContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** Span of the caller, 16 lower-case hex digits. */
  readonly parentId: string;
  readonly sampled: boolean;
}

const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/u;
const isZero = (hex: string): boolean => /^0+$/u.test(hex);

/** Parses a `traceparent` header; null if it is missing or malformed. */
export function parseTraceparent(header: unknown): TraceContext | null {
  const found = typeof header === "string" ? traceparentPattern.exec(header) : null;
  if (found === null) return null;
  const [, version = "", traceId = "", parentId = "", flags = "", more] = found;
  const wrongVersion = version === "ff" || (version === "00" && more !== undefined);
  if (wrongVersion || isZero(traceId) || isZero(parentId)) return null;
  return { traceId, parentId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

const pool = Buffer.alloc(4096);
let used = pool.length;

/**
 * Returns a random id as hex digits. Random bytes are drawn for many ids at once, because each call takes microseconds.
 */
export function newTraceId(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString("hex", used - bytes, used);
}

export interface ExchangeEnd {
  readonly statusCode: number;
  readonly errorCode: string | null;
  readonly generation: number | null;
  readonly bundleId: BundleId | null;
}

export interface TraceClock {
  /** Wall clock, for the start of the request. */
  readonly clock: () => Date;
  /** Monotonic milliseconds, for all other times. */
  readonly now: () => number;
}

/** Collects the spans of one request: one for the request, and one per stage of the router. */
export class RequestTrace implements RouteObserver {
  readonly #clock: TraceClock;
  readonly #context: TraceContext | null;
  readonly #traceId: string;
  readonly #spanId = newTraceId(8);
  readonly #startedAt: number;
  readonly #started: number;
  readonly #stages: Span[] = [];
  #decision: Decision | null = null;

  /**
   * @param traceparent  header of the caller; a new trace begins if it is missing or malformed
   */
  constructor(traceparent: unknown, clock: TraceClock) {
    this.#clock = clock;
    this.#context = parseTraceparent(traceparent);
    this.#traceId = this.#context?.traceId ?? newTraceId(16);
    this.#startedAt = clock.clock().getTime();
    this.#started = clock.now();
  }

  /** false if the caller does not sample this trace. */
  get sampled(): boolean {
    return this.#context?.sampled ?? true;
  }

  stage(stage: RouteStage, startedMs: number, endedMs: number): void {
    this.#stages.push({
      traceId: this.#traceId,
      spanId: newTraceId(8),
      parentId: this.#spanId,
      name: stage,
      kind: "internal",
      startedAt: this.#wall(startedMs),
      endedAt: this.#wall(endedMs),
      attributes: {},
      failed: false,
    });
  }

  decided(decision: Decision): void {
    this.#decision = decision;
  }

  end(name: string, end: ExchangeEnd): readonly Span[] {
    const request: Span = {
      traceId: this.#traceId,
      spanId: this.#spanId,
      parentId: this.#context?.parentId ?? null,
      name,
      kind: "server",
      startedAt: this.#startedAt,
      endedAt: this.#wall(this.#clock.now()),
      attributes: { ...exchangeAttributes(name, end), ...decisionAttributes(this.#decision) },
      failed: end.statusCode >= 500,
    };
    return [request, ...this.#stages];
  }

  #wall(monotonicMs: number): number {
    return this.#startedAt + monotonicMs - this.#started;
  }
}

function exchangeAttributes(name: string, end: ExchangeEnd): Span["attributes"] {
  const [method = "", route = ""] = name.split(" ");
  return {
    "http.request.method": method,
    "http.route": route,
    "http.response.status_code": end.statusCode,
    ...(end.errorCode === null ? {} : { "error.type": end.errorCode }),
    ...(end.generation === null ? {} : { "sluice.generation": end.generation }),
    ...(end.bundleId === null ? {} : { "sluice.bundle_id": end.bundleId }),
  };
}

function decisionAttributes(decision: Decision | null): Span["attributes"] {
  if (decision === null) return {};
  const { decision: kind, reason_code: reasonCode, risk_tier: riskTier, confidence } = decision;
  return {
    "sluice.decision": kind,
    "sluice.reason_code": reasonCode,
    "sluice.tier": riskTier ?? "none",
    "sluice.confidence": confidence,
  };
}
