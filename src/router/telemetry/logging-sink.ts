import { write } from "node:fs";
import { promisify } from "node:util";
import { toSnake } from "../../documents/camel.js";
import { requireOptions } from "../../base/require-argument.js";
import { LineWriter } from "./line-writer.js";
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
  /** Takes one JSON document with its line end. Default: standard output, which never blocks and never throws. */
  readonly write?: (line: string) => void;
  /** Default: the clock of the system. */
  readonly clock?: () => Date;
}

const standardOutput = 1;
const isFunction = (value: unknown): boolean => typeof value === "function";
const members = {
  write: ["a function that takes a line", isFunction],
  clock: ["a function that returns a Date", isFunction],
} as const satisfies Record<keyof LoggingSinkOptions, readonly [string, (value: unknown) => boolean]>;

/** Takes lines for standard output; a full disk or a reader that went away must not end the program. */
function toStandardOutput(): (line: string) => void {
  const writeSome = promisify(write);
  const lines = new LineWriter({ write: async (bytes) => (await writeSome(standardOutput, bytes)).bytesWritten });
  return (line) => lines.write(line);
}

/**
 * One JSON line per event: `time`, `event`, then the declared fields in snake_case.
 * A field that is not declared is dropped, so a caller cannot put a text into the log by accident.
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
    const line = { time: this.#options.clock().toISOString(), event: event.event, ...toSnakeRecord(logged) };
    this.#options.write(`${JSON.stringify(line)}\n`);
  }
}

function toSnakeRecord(record: Record<string, unknown>): object {
  return toSnake<Record<string, unknown>>(record);
}
