import type { RouteStage } from "../../src/documents/router.js";
import type {
  DecisionEvent,
  HttpEvent,
  ReplacementEvent,
  TelemetryEvent,
  TelemetrySink,
} from "../../src/router/telemetry/sink.js";
import { Counter, Histogram } from "./instruments.js";
import type { MetricFamily } from "./exposition.js";

/** Bucket limits in seconds, from a lexical decision to the longest deadline. */
const durationLimits = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

/** Counts the server's log events. Labels are codes, tiers and routes, never ids of requests, callers or workflows. */
export class EventMetrics implements TelemetrySink {
  readonly #decisions = new Counter("sluice_decisions_total", "Answered route requests by decision, reason and tier.");
  readonly #decisionSeconds = new Histogram(
    "sluice_decision_duration_seconds",
    "Time of a route request inside the router.",
    durationLimits,
  );
  readonly #stageSeconds = new Histogram(
    "sluice_stage_duration_seconds",
    "Time of each stage of a route request.",
    durationLimits,
  );
  readonly #requests = new Counter("sluice_http_requests_total", "HTTP exchanges by route, status and error code.");
  readonly #requestSeconds = new Histogram(
    "sluice_http_request_duration_seconds",
    "Time from the head of a request to the end of its answer.",
    durationLimits,
  );
  readonly #backendFailures = new Counter("sluice_backend_failures_total", "Model failures by error code.");
  readonly #replacements = new Counter(
    "sluice_replacements_total",
    "Replacements and rollbacks of the bundle by trigger, outcome and error code.",
  );

  emit(event: TelemetryEvent): void {
    switch (event.event) {
      case "sluice.decision":
        return this.#decision(event);
      case "sluice.http":
        return this.#exchange(event);
      case "sluice.replacement":
        return this.#replacement(event);
      case "sluice.backend":
        return this.#backendFailures.add({ error_code: event.error_code });
      case "sluice.drift":
      case "sluice.log":
      case "sluice.readiness":
      case "sluice.shadow_flip":
      case "sluice.state":
        return;
    }
  }

  families(): readonly MetricFamily[] {
    return [
      this.#decisions,
      this.#decisionSeconds,
      this.#stageSeconds,
      this.#requests,
      this.#requestSeconds,
      this.#backendFailures,
      this.#replacements,
    ].map((metric) => metric.family());
  }

  #decision({
    decision,
    reason_code: reasonCode,
    risk_tier: riskTier,
    language,
    latency_ms: latencyMs,
    stages_ms: stagesMs,
  }: DecisionEvent): void {
    const ofLanguage = language === undefined ? {} : { language };
    this.#decisions.add({ decision, reason_code: reasonCode, tier: riskTier ?? "none", ...ofLanguage });
    this.#decisionSeconds.observe({}, latencyMs / 1000);
    for (const [stage, milliseconds] of Object.entries(stagesMs) as [RouteStage, number][]) {
      this.#stageSeconds.observe({ stage }, milliseconds / 1000);
    }
  }

  #exchange({ route, status_code: statusCode, error_code: errorCode, latency_ms: latencyMs }: HttpEvent): void {
    this.#requests.add({ route, status: String(statusCode), error_code: errorCode ?? "none" });
    this.#requestSeconds.observe({ route }, latencyMs / 1000);
  }

  #replacement({ trigger, outcome, error_code: errorCode }: ReplacementEvent): void {
    this.#replacements.add({ trigger, outcome, error_code: errorCode ?? "none" });
  }
}
