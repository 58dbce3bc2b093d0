import type { RiskTier } from "../../documents/choices.js";
import type { BundleId } from "../../documents/primitives.js";
import type { DecisionKind, ReasonCode } from "../../documents/decision.js";
import type { RuntimeMode } from "../../documents/response.js";
import type { RouteStage } from "../../documents/router.js";
import type { ErrorCode } from "../../base/error-codes.js";

/** One answered route request. Holds ids, versions, codes and durations; never text, context or input values. */
export interface DecisionEvent {
  readonly event: "sluice.decision";
  readonly request_id: string;
  readonly decision: DecisionKind;
  readonly workflow_id: string | null;
  readonly confidence: number;
  /** Confidence of the first candidate minus that of the second; null without a second one. */
  readonly margin: number | null;
  /** Tier of the first candidate; null when none was scored. */
  readonly risk_tier: RiskTier | null;
  readonly reason_code: ReasonCode;
  readonly missing_input_count: number;
  readonly confirmation_required: boolean;
  readonly model_version: string;
  readonly calibration_version: string;
  readonly catalog_version: string;
  readonly runtime_mode: RuntimeMode;
  readonly bundle_id: BundleId | null;
  readonly latency_ms: number;
  /** Keyed digest of the text, to recognise repeats; the key stays in this process, and the digest is never logged. */
  readonly text_digest: string;
  /** Milliseconds of each stage that the request came to, 3 decimals. */
  readonly stages_ms: Readonly<Partial<Record<RouteStage, number>>>;
}

/** One HTTP exchange. */
export interface HttpEvent {
  readonly event: "sluice.http";
  /** Id that the answer carries. */
  readonly request_id: string;
  /** Id of the header where the body named another one, otherwise null. */
  readonly header_request_id: string | null;
  readonly method: string;
  /** Pattern of the route, never the requested URL; "(none)" when no route matched. */
  readonly route: string;
  /** 499 when the client left before the answer. */
  readonly status_code: number;
  readonly error_code: string | null;
  /** Class of the failure behind a 5xx answer, never its message. */
  readonly error_cause: string | null;
  /** Milliseconds, 3 decimals. */
  readonly latency_ms: number;
  /** Generation that answered; null when no router was called. */
  readonly generation: number | null;
  readonly bundle_id: BundleId | null;
}

/** Readiness changed since the last query. */
export interface ReadinessEvent {
  readonly event: "sluice.readiness";
  readonly ready: boolean;
  readonly problems: readonly string[];
  readonly generation: number;
  readonly bundle_id: BundleId | null;
}

/** A model failed, or took too long, for one request; the answer says only BACKEND_UNAVAILABLE. */
export interface BackendEvent {
  readonly event: "sluice.backend";
  readonly request_id: string;
  readonly error_code: ErrorCode;
  readonly bundle_id: BundleId | null;
}

/** Source of the request for another bundle. */
export type ReplacementTrigger = "control" | "rollback" | "watch";

/** The active bundle was replaced or rolled back, or that was refused and nothing has changed. */
export interface ReplacementEvent {
  readonly event: "sluice.replacement";
  readonly trigger: ReplacementTrigger;
  /** null when it was done. */
  readonly error_code: ErrorCode | null;
  /** Why the bundle was refused; null on success. Never a request text. */
  readonly problem: string | null;
  /** Generation and bundle that are active afterwards. */
  readonly generation: number;
  readonly bundle_id: BundleId | null;
  /** Milliseconds, 3 decimals: reading, verifying, warming and swapping. */
  readonly latency_ms: number;
}

/** The shadow bundle decided otherwise than the active one; a sample of the flips of each pair of reasons. */
export interface ShadowFlipEvent {
  readonly event: "sluice.shadow_flip";
  readonly request_id: string;
  readonly risk_tier: RiskTier | null;
  readonly decision: DecisionKind;
  readonly reason_code: ReasonCode;
  readonly workflow_id: string | null;
  readonly confidence: number;
  readonly shadow_decision: DecisionKind;
  readonly shadow_reason_code: ReasonCode;
  readonly shadow_workflow_id: string | null;
  readonly shadow_confidence: number;
  readonly shadow_bundle_id: string | null;
}

/** Live decisions started or stopped differing from the signed calibration. */
export interface DriftEvent {
  readonly event: "sluice.drift";
  readonly statistic: string;
  /** "all" for the statistic of every tier. */
  readonly tier: RiskTier | "all";
  readonly drifting: boolean;
  /** Mean over the latest decisions; null without one. */
  readonly live: number | null;
  readonly expected_lower: number;
  readonly expected_upper: number;
  readonly bundle_id: BundleId | null;
}

/** The state file of a server cannot be written, or can be written again. */
export interface StateEvent {
  readonly event: "sluice.state";
  /** null when writing succeeds again. */
  readonly error_code: ErrorCode | null;
  readonly problem: string | null;
}

/** The log could be written again after lines were lost. */
export interface LogEvent {
  readonly event: "sluice.log";
  readonly lost_lines: number;
}

export type TelemetryEvent =
  | BackendEvent
  | DecisionEvent
  | DriftEvent
  | HttpEvent
  | LogEvent
  | ReadinessEvent
  | ReplacementEvent
  | ShadowFlipEvent
  | StateEvent;

/** Receives every event. May throw or reject: the answer to the caller does not depend on it. */
export interface TelemetrySink {
  emit(event: TelemetryEvent): void | Promise<void>;
}

/** Drops every event. */
export const silentSink: TelemetrySink = { emit: () => undefined };

/** Passes every event to each sink; a failing sink does not affect the others. */
export function sinkOf(sinks: readonly TelemetrySink[]): TelemetrySink {
  return {
    emit: (event) => {
      for (const sink of sinks) emitSafely(sink, event);
    },
  };
}

/** Hands an event to a sink and ignores its failure: an answer never depends on its log line. */
export function emitSafely(sink: TelemetrySink, event: TelemetryEvent): void {
  try {
    Promise.resolve(sink.emit(event)).catch(() => undefined);
  } catch {
    return;
  }
}
