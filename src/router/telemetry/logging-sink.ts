import { write } from "node:fs";
import { promisify } from "node:util";
import { argument, type OptionsOf, resolveOptions } from "../../base/options.js";
import { LineWriter } from "./line-writer.js";
import type { TelemetryEvent, TelemetrySink } from "./sink.js";

type Fields<K extends TelemetryEvent["event"]> = readonly (keyof Extract<TelemetryEvent, { event: K }>)[];

const loggedFields: { readonly [K in TelemetryEvent["event"]]: Fields<K> } = {
  "sluice.backend": ["request_id", "error_code", "bundle_id"],
  "sluice.decision": [
    "request_id",
    "decision",
    "workflow_id",
    "follow_up",
    "confidence",
    "margin",
    "risk_tier",
    "reason_code",
    "missing_input_count",
    "confirmation_required",
    "model_version",
    "calibration_version",
    "catalog_version",
    "runtime_mode",
    "bundle_id",
    "latency_ms",
    "stages_ms",
  ],
  "sluice.drift": ["statistic", "tier", "drifting", "live", "expected_lower", "expected_upper", "bundle_id"],
  "sluice.http": [
    "request_id",
    "header_request_id",
    "method",
    "route",
    "status_code",
    "error_code",
    "error_cause",
    "latency_ms",
    "generation",
    "bundle_id",
  ],
  "sluice.log": ["lost_lines"],
  "sluice.readiness": ["ready", "problems", "generation", "bundle_id"],
  "sluice.replacement": ["trigger", "outcome", "error_code", "problem", "generation", "bundle_id", "latency_ms"],
  "sluice.shadow_flip": [
    "request_id",
    "risk_tier",
    "decision",
    "reason_code",
    "workflow_id",
    "confidence",
    "shadow_decision",
    "shadow_reason_code",
    "shadow_workflow_id",
    "shadow_confidence",
    "shadow_bundle_id",
  ],
  "sluice.state": ["error_code", "problem"],
};

const loggingSinkOptions = {
  /**
   * Writes one JSON document, including its line break. Default: writes to standard output without blocking or
   * throwing.
   */
  write: argument<(line: string) => void>("function"),
  /** Default: the system clock. */
  clock: argument<() => Date>("function"),
} as const;
export type LoggingSinkOptions = OptionsOf<typeof loggingSinkOptions>;

const standardOutput = 1;
/** Writes lines to standard output. A full disk or a closed reader must not end the program. */
function toStandardOutput(): (line: string) => void {
  const writeSome = promisify(write);
  const lines = new LineWriter({ write: async (bytes) => (await writeSome(standardOutput, bytes)).bytesWritten });
  return (line) => lines.write(line);
}

/**
 * Writes one JSON line per event: `time`, `event`, then the declared fields. Undeclared fields are dropped, so that a
 * caller cannot put a text into the log by accident.
 */
export class LoggingTelemetrySink implements TelemetrySink {
  readonly #options: { readonly write: (line: string) => void; readonly clock: () => Date };

  /** @throws {SluiceError} ARGUMENT_INVALID */
  constructor(options: LoggingSinkOptions = {}) {
    const { write: writeLine, clock } = resolveOptions("LoggingTelemetrySink", loggingSinkOptions, options);
    this.#options = { write: writeLine ?? toStandardOutput(), clock: clock ?? (() => new Date()) };
  }

  emit(event: TelemetryEvent): void {
    const values = new Map<string, unknown>(Object.entries(event));
    const logged = Object.fromEntries(
      loggedFields[event.event].map((name: string) => [name, values.get(name) ?? null]),
    );
    const line = { time: this.#options.clock().toISOString(), event: event.event, ...logged };
    this.#options.write(`${JSON.stringify(line)}\n`);
  }
}
