import { write } from "node:fs";
import { promisify } from "node:util";
import { requireOptions } from "../../base/require-argument.js";
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

export interface LoggingSinkOptions {
  /**
   * Writes one JSON document, including its line break. Default: writes to standard output without blocking or
   * throwing.
   */
  readonly write?: (line: string) => void;
  /** Default: the system clock. */
  readonly clock?: () => Date;
}

const standardOutput = 1;
const isFunction = (value: unknown): boolean => typeof value === "function";
const members = {
  write: ["a function that takes a line", isFunction],
  clock: ["a function that returns a Date", isFunction],
} as const satisfies Record<keyof LoggingSinkOptions, readonly [string, (value: unknown) => boolean]>;

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
  readonly #options: Required<LoggingSinkOptions>;

  /** @throws {SluiceError} ARGUMENT_INVALID */
  constructor(options: LoggingSinkOptions = {}) {
    requireOptions("LoggingTelemetrySink: options", options, members);
    this.#options = { write: options.write ?? toStandardOutput(), clock: options.clock ?? (() => new Date()) };
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
