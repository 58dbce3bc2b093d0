import type { RiskTier } from "../../documents/choices.js";
import type { BundleId } from "../../documents/primitives.js";
import type { DecisionKind, ReasonCode } from "../../documents/decision.js";
import type { RuntimeMode } from "../../documents/response.js";
import type { RouteStage } from "../../documents/router.js";
import type { ErrorCode } from "../../base/error-codes.js";

/** One answered route request. Contains ids, versions, codes and durations; never text, context or input values. */
export interface DecisionEvent {
  readonly event: "sluice.decision";
  readonly request_id: string;
  readonly decision: DecisionKind;
  readonly workflow_id: string | null;
  /** Whether the request names the workflow of the one before it. */
  readonly follow_up: boolean;
  readonly confidence: number;
  /** Confidence of the first candidate minus that of the second; null without a second one. */
  readonly margin: number | null;
  /** Tier of the first candidate; null if none was scored. */
  readonly risk_tier: RiskTier | null;
  /** The language whose threshold decided; absent if all share those of the tiers. */
  readonly language?: string;
  readonly reason_code: ReasonCode;
  readonly missing_input_count: number;
  readonly confirmation_required: boolean;
  readonly model_version: string;
  readonly calibration_version: string;
  readonly catalog_version: string;
  readonly runtime_mode: RuntimeMode;
  readonly bundle_id: BundleId | null;
  readonly latency_ms: number;
  /** Keyed digest of the text, for detecting repeats. The key stays in this process, and the digest is never logged. */
  readonly text_digest: string;
  /** Time spent in each stage that the request reached, in milliseconds, 3 decimals. */
  readonly stages_ms: Readonly<Partial<Record<RouteStage, number>>>;
}

export interface HttpEvent {
  readonly event: "sluice.http";
  readonly request_id: string;
  /** Id from the request header if the body replaced it; otherwise null. */
  readonly header_request_id: string | null;
  readonly method: string;
  /** Route pattern, never the requested URL; "(none)" if no route matched. */
  readonly route: string;
  /** 499 if the client disconnected before the response. */
  readonly status_code: number;
  readonly error_code: string | null;
  /** Class of the failure behind a 5xx response, never its message. */
  readonly error_cause: string | null;
  /** Milliseconds, 3 decimals. */
  readonly latency_ms: number;
  /** Generation that answered; null if no router was called. */
  readonly generation: number | null;
  readonly bundle_id: BundleId | null;
}

/** Readiness has changed, as a request, a probe, a scrape, the watch or the control socket has shown. */
export interface ReadinessEvent {
  readonly event: "sluice.readiness";
  readonly ready: boolean;
  readonly problems: readonly string[];
  readonly generation: number;
  readonly bundle_id: BundleId | null;
}

/** A model failed or took too long for a request; the response contains only BACKEND_UNAVAILABLE. */
export interface BackendEvent {
  readonly event: "sluice.backend";
  readonly request_id: string;
  readonly error_code: ErrorCode;
  readonly bundle_id: BundleId | null;
}

/** What requested a different bundle; `start`: the server loads its first one. */
export type ReplacementTrigger = "control" | "rollback" | "start" | "watch";

/** `same`: the active bundle was loaded again from the given folder. After `same` and `refused`, it is still active. */
export type ReplacementOutcome = "done" | "refused" | "same";

export interface ReplacementEvent {
  readonly event: "sluice.replacement";
  readonly trigger: ReplacementTrigger;
  readonly outcome: ReplacementOutcome;
  /** null on success. */
  readonly error_code: ErrorCode | null;
  /** Why the bundle was refused; null on success. Never a request text. */
  readonly problem: string | null;
  readonly generation: number;
  readonly bundle_id: BundleId | null;
  /** Time for reading, verifying, warming and swapping, in milliseconds, 3 decimals. */
  readonly latency_ms: number;
}

/** The shadow bundle decided differently from the active one. Flips are sampled per pair of reasons. */
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
  readonly tier: RiskTier | "all";
  readonly drifting: boolean;
  /** Mean over the latest decisions; null if there are none. */
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

/** Receives every event. May throw or reject without affecting the response to the caller. */
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

/** Passes an event to a sink and ignores its failure, because a response must not depend on its log line. */
export function emitSafely(sink: TelemetrySink, event: TelemetryEvent): void {
  try {
    Promise.resolve(sink.emit(event)).catch(() => undefined);
  } catch {
    return;
  }
}
