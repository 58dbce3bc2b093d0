import { toSnake } from "../domain/camel.js";
import type { TelemetryEvent, TelemetrySink } from "./sink.js";

type Fields<K extends TelemetryEvent["event"]> = readonly (keyof Extract<TelemetryEvent, { event: K }>)[];

const loggedFields: { readonly [K in TelemetryEvent["event"]]: Fields<K> } = {
  "sluice.backend": ["requestId", "errorCode", "bundleId"],
  "sluice.decision": [
    "requestId",
    "decision",
    "workflowId",
    "confidence",
    "margin",
    "riskTier",
    "reasonCode",
    "missingInputCount",
    "confirmationRequired",
    "modelVersion",
    "calibrationVersion",
    "catalogVersion",
    "runtimeMode",
    "bundleId",
    "latencyMs",
    "stagesMs",
  ],
  "sluice.drift": ["statistic", "tier", "drifting", "live", "expectedLower", "expectedUpper", "bundleId"],
  "sluice.http": [
    "requestId",
    "headerRequestId",
    "method",
    "route",
    "statusCode",
    "errorCode",
    "errorCause",
    "latencyMs",
    "generation",
    "bundleId",
  ],
  "sluice.log": ["lostLines"],
  "sluice.readiness": ["ready", "problems", "generation", "bundleId"],
  "sluice.replacement": ["trigger", "errorCode", "problem", "generation", "bundleId", "latencyMs"],
  "sluice.shadow_flip": [
    "requestId",
    "riskTier",
    "decision",
    "reasonCode",
    "workflowId",
    "confidence",
    "shadowDecision",
    "shadowReasonCode",
    "shadowWorkflowId",
    "shadowConfidence",
    "shadowBundleId",
  ],
  "sluice.state": ["errorCode", "problem"],
};

export interface LoggingSinkOptions {
  /** Takes one JSON document with its line end. */
  readonly write: (line: string) => void;
  readonly clock: () => Date;
}

/**
 * One JSON line per event: `time`, `event`, then the declared fields in snake_case.
 * A field that is not declared is dropped, so a caller cannot put a text into the log by accident.
 */
export class LoggingTelemetrySink implements TelemetrySink {
  readonly #options: LoggingSinkOptions;

  constructor(options: LoggingSinkOptions) {
    this.#options = options;
  }

  emit(event: TelemetryEvent): void {
    const values = new Map<string, unknown>(Object.entries(event));
    const logged = Object.fromEntries(
      loggedFields[event.event].map((name: string) => [name, values.get(name) ?? null]),
    );
    const line = { time: this.#options.clock().toISOString(), event: event.event, ...toSnakeRecord(logged) };
    this.#options.write(`${JSON.stringify(line)}\n`);
  }
}

function toSnakeRecord(record: Record<string, unknown>): object {
  return toSnake<Record<string, unknown>>(record);
}
