import { toSnake } from "../domain/camel.js";
import type { BackendEvent, DecisionEvent, HttpEvent, ReadinessEvent, TelemetryEvent, TelemetrySink } from "./sink.js";

const backendFields = ["requestId", "errorCode", "bundleId"] as const satisfies readonly (keyof BackendEvent)[];
const decisionFields = [
  "requestId",
  "decision",
  "workflowId",
  "confidence",
  "reasonCode",
  "missingInputCount",
  "confirmationRequired",
  "modelVersion",
  "calibrationVersion",
  "catalogVersion",
  "runtimeMode",
  "bundleId",
  "latencyMs",
] as const satisfies readonly (keyof DecisionEvent)[];
const httpFields = [
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
] as const satisfies readonly (keyof HttpEvent)[];
const readinessFields = [
  "ready",
  "problems",
  "generation",
  "bundleId",
] as const satisfies readonly (keyof ReadinessEvent)[];

const loggedFields: Readonly<Record<TelemetryEvent["event"], readonly string[]>> = {
  "sluice.backend": backendFields,
  "sluice.decision": decisionFields,
  "sluice.http": httpFields,
  "sluice.readiness": readinessFields,
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
    const logged = Object.fromEntries(loggedFields[event.event].map((name) => [name, values.get(name) ?? null]));
    const line = { time: this.#options.clock().toISOString(), event: event.event, ...toSnakeRecord(logged) };
    this.#options.write(`${JSON.stringify(line)}\n`);
  }
}

function toSnakeRecord(record: Record<string, unknown>): object {
  return toSnake<Record<string, unknown>>(record);
}
