import type { DecisionKind, ReasonCode } from "../domain/decision.js";
import type { RuntimeMode } from "../domain/response.js";
import type { ErrorCode } from "../errors/codes.js";

/** One answered route request. Holds ids, versions, codes and durations; never text, context or input values. */
export interface DecisionEvent {
  readonly event: "sluice.decision";
  readonly requestId: string;
  readonly decision: DecisionKind;
  readonly workflowId: string | null;
  readonly confidence: number;
  readonly reasonCode: ReasonCode;
  readonly missingInputCount: number;
  readonly confirmationRequired: boolean;
  readonly modelVersion: string;
  readonly calibrationVersion: string;
  readonly catalogVersion: string;
  readonly runtimeMode: RuntimeMode;
  readonly bundleId: string | null;
  readonly latencyMs: number;
}

/** One HTTP exchange. */
export interface HttpEvent {
  readonly event: "sluice.http";
  /** Id that the answer carries. */
  readonly requestId: string;
  /** Id of the header where the body named another one, else null. */
  readonly headerRequestId: string | null;
  readonly method: string;
  /** Pattern of the route, never the requested URL; "(none)" when no route matched. */
  readonly route: string;
  /** 499 when the client left before the answer. */
  readonly statusCode: number;
  readonly errorCode: string | null;
  /** Class of the failure behind a 5xx answer, never its message. */
  readonly errorCause: string | null;
  /** Milliseconds, 3 decimals. */
  readonly latencyMs: number;
  /** Generation that answered; null when no router was asked. */
  readonly generation: number | null;
  readonly bundleId: string | null;
}

/** Readiness changed since it was last asked for. */
export interface ReadinessEvent {
  readonly event: "sluice.readiness";
  readonly ready: boolean;
  readonly problems: readonly string[];
  readonly generation: number;
  readonly bundleId: string | null;
}

/** A model failed, or took too long, for one request; the answer says only BACKEND_UNAVAILABLE. */
export interface BackendEvent {
  readonly event: "sluice.backend";
  readonly requestId: string;
  readonly errorCode: ErrorCode;
  readonly bundleId: string | null;
}

export type TelemetryEvent = BackendEvent | DecisionEvent | HttpEvent | ReadinessEvent;

/** Receives every event. May throw or reject: the answer to the caller does not depend on it. */
export interface TelemetrySink {
  emit(event: TelemetryEvent): void | Promise<void>;
}

/** Drops every event. */
export const silentSink: TelemetrySink = { emit: () => undefined };

/** Hands an event to a sink and ignores its failure: an answer never depends on its log line. */
export function emitSafely(sink: TelemetrySink, event: TelemetryEvent): void {
  try {
    Promise.resolve(sink.emit(event)).catch(() => undefined);
  } catch {
    return;
  }
}
