import type { FastifyInstance } from "fastify";
import { usualThreads } from "../src/inference/usual-threads.js";
import type { RouterRuntime } from "../src/router/runtime.js";
import { LoggingTelemetrySink } from "../src/router/telemetry/logging-sink.js";
import { silentSink, sinkOf, type TelemetrySink } from "../src/router/telemetry/sink.js";
import type { ServeOptions } from "./arguments.js";
import { DriftWatch } from "./drift/drift-watch.js";
import { LiveRisk } from "./drift/live-risk.js";
import {
  connectionMetrics,
  counter,
  runtimeMetrics,
  processMetrics,
  EventLoopDelay,
} from "./metrics/runtime-metrics.js";
import { EventMetrics } from "./metrics/event-metrics.js";
import type { MetricFamily } from "./metrics/exposition.js";
import { type MetricsServer, startMetricsServer } from "./metrics/metrics-server.js";
import { createOpsPage } from "./ops/ops-page.js";
import type { ConnectionCounts } from "./plugins/connection-limit.js";
import { addLoadShedding } from "./plugins/load-shedding.js";
import { addTracing } from "./plugins/tracing.js";
import type { Shadow } from "./shadow/shadow.js";
import type { StartDependencies } from "./start-dependencies.js";
import { SpanExporter } from "./tracing/span-exporter.js";

/** Everything that observes a server without changing its responses. */
export interface ServerObservation {
  /** Receives every event. */
  readonly telemetry: TelemetrySink;
  readonly log: TelemetrySink;
  readonly drift: DriftWatch;
  readonly liveRisk: LiveRisk;
  /** Starts to watch the active bundle and the shadow bundle. */
  watch(runtime: RouterRuntime, shadow: Shadow | null): void;
  /** Adds tracing and load shedding to the application. */
  addTo(app: FastifyInstance, runtime: RouterRuntime): void;
  /**
   * @returns base address of the metrics server; null without metrics @throws {SluiceError} PORT_IN_USE, USAGE
   */
  showMetrics(): Promise<string | null>;
  /** Sends the remaining spans and stops. */
  readonly close: () => Promise<void>;
}

/** Sets up log, metrics, traces and drift watch according to the options. */
export function observe(options: ServeOptions, deps: StartDependencies): ServerObservation {
  const { clock, machine } = deps;
  const log = options.log === "none" ? silentSink : new LoggingTelemetrySink({ write: deps.writeLog, clock });
  const events = new EventMetrics();
  const eventLoop = new EventLoopDelay();
  const exporter = exporterOf(options, machine.version);
  let runtime: RouterRuntime | null = null;
  let shadow: Shadow | null = null;
  let metricsServer: MetricsServer | null = null;
  let connections: (() => ConnectionCounts) | null = null;
  const drift = new DriftWatch({ active: () => runtime?.router ?? null, telemetry: log });
  const liveRisk = new LiveRisk({ active: () => runtime?.router ?? null, seed: deps.seed });
  const collect = (): readonly MetricFamily[] => [
    ...events.families(),
    ...(runtime === null ? [] : runtimeMetrics(runtime, clock)),
    ...drift.families(),
    ...liveRisk.families(),
    ...(shadow?.families() ?? []),
    ...(exporter?.families() ?? []),
    ...(connections === null ? [] : connectionMetrics(connections())),
    ...processMetrics(machine.processUse(), eventLoop.seconds()),
    counter("sluice_log_lines_lost_total", "Log lines that could not be written.", machine.lostLogLines()),
  ];
  return {
    telemetry: sinkOf([log, events, drift, liveRisk]),
    log,
    drift,
    liveRisk,
    watch(active, shadowing) {
      runtime = active;
      shadow = shadowing;
    },
    addTo(app, active) {
      eventLoop.reset();
      connections = app.connectionCounts;
      // Added before load shedding, so that refused requests also have a span.
      if (exporter !== null) addTracing(app, exporter, { clock, now: machine.now });
      addLoadShedding(app, options, {
        threads: options.workers ?? usualThreads(),
        deadlineMs: () => active.router.monitor?.deadlineMs ?? Number.POSITIVE_INFINITY,
        now: machine.now,
        eventLoopDelayMs: () => eventLoop.seconds() * 1000,
      });
    },
    async showMetrics() {
      if (options.metricsPort === undefined) return null;
      const problems = () => runtime?.snapshot().router.integrityProblems() ?? [];
      const ops = options.opsPage ? createOpsPage(options.trustedHosts, { clock, problems }) : null;
      const place = { host: options.metricsHost, port: options.metricsPort };
      metricsServer = await startMetricsServer(place, { collect, ops });
      return metricsServer.address;
    },
    async close() {
      eventLoop.close();
      await exporter?.close();
      await metricsServer?.close();
    },
  };
}

function exporterOf({ otlpEndpoint }: ServeOptions, version: string): SpanExporter | null {
  if (otlpEndpoint === undefined) return null;
  return new SpanExporter({
    endpoint: otlpEndpoint,
    resource: { serviceName: "sluice-serve", serviceVersion: version },
  });
}
