import type { BundleMonitor } from "../../src/documents/router.js";
import { batchSizeLimits } from "../../src/documents/pool-statistics.js";
import type { RouterRuntime } from "../../src/router/runtime.js";
import { isDemonstration } from "../demonstration.js";
import type { MetricFamily } from "./exposition.js";
import { histogramSamples } from "./instruments.js";
import type { ConnectionCounts } from "../plugins/connection-limit.js";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";

export const gauge = (name: string, help: string, value: number): MetricFamily => ({
  name,
  help,
  type: "gauge",
  samples: [{ labels: {}, value }],
});

export const counter = (name: string, help: string, value: number): MetricFamily => ({
  ...gauge(name, help, value),
  type: "counter",
});

export function runtimeMetrics(runtime: RouterRuntime, clock: () => Date): readonly MetricFamily[] {
  const { generation, ready, bundleId, lineage, loadedAt, router } = runtime.snapshot();
  const info = {
    bundle_id: bundleId ?? "none",
    catalog_version: lineage.catalog_version,
    calibration_version: lineage.calibration_version,
    model_version: lineage.model_version,
  };
  return [
    gauge("sluice_bundle_ready", "1 while the active bundle is in order, else 0.", ready ? 1 : 0),
    gauge(
      "sluice_bundle_demonstration",
      "1 while the active bundle is signed with demonstration keys, else 0.",
      isDemonstration(router) ? 1 : 0,
    ),
    gauge("sluice_generation", "Generation of the active bundle.", generation),
    gauge("sluice_bundle_loaded_timestamp_seconds", "When the active bundle was loaded.", loadedAt.getTime() / 1000),
    {
      name: "sluice_bundle_info",
      help: "The active bundle; always 1.",
      type: "gauge",
      samples: [{ labels: info, value: 1 }],
    },
    ...(router.monitor === null ? [] : monitorMetrics(router.monitor, clock().getTime())),
  ];
}

function monitorMetrics(monitor: BundleMonitor, now: number): readonly MetricFamily[] {
  const until = monitor.approvedUntil();
  return [
    ...(monitor.release === null
      ? []
      : [gauge("sluice_bundle_release", "Release number of the active bundle.", monitor.release.release)]),
    ...(until === null
      ? []
      : [gauge("sluice_approval_remaining_seconds", "Time until the approvals end.", (until.getTime() - now) / 1000)]),
    ...inferenceMetrics(monitor),
  ];
}

/**
 * These counts restart with each bundle, because each bundle has its own threads. To a rate function this is a counter
 * reset.
 */
function inferenceMetrics(monitor: BundleMonitor): readonly MetricFamily[] {
  const counts = monitor.statistics();
  const name = (what: string): string => `sluice_inference_${what}`;
  return [
    gauge(name("jobs_waiting"), "Model runs that no thread has taken.", counts.waiting),
    gauge(name("jobs_under_way"), "Model runs in threads.", counts.underWay),
    gauge(name("workers_ready"), "Inference threads that hold every model.", counts.workersReady),
    counter(name("jobs_finished_total"), "Model runs that gave an output.", counts.finished),
    counter(name("jobs_failed_total"), "Model runs that failed.", counts.failed),
    counter(name("jobs_refused_total"), "Model runs turned away at a full queue.", counts.refused),
    counter(name("jobs_expired_total"), "Model runs that missed their deadline.", counts.expired),
    counter(name("jobs_cancelled_total"), "Model runs that were cancelled.", counts.cancelled),
    counter(name("results_late_total"), "Results that came after their deadline.", counts.late),
    counter(name("worker_restarts_total"), "Inference threads started in place of failed ones.", counts.restarts),
    {
      name: name("batch_jobs"),
      help: "Model runs in one message to a thread.",
      type: "histogram",
      samples: histogramSamples({}, batchSizeLimits, counts.batchSizes, counts.sent),
    },
  ];
}

/** Metrics of the service's connections, excluding the metrics address and the control socket. */
export function connectionMetrics({ open, closedForRoom, refused }: ConnectionCounts): readonly MetricFamily[] {
  return [
    gauge("sluice_connections_open", "Open connections.", open),
    counter("sluice_connections_closed_for_room_total", "Idle connections closed for newer ones.", closedForRoom),
    counter("sluice_connections_refused_total", "Connections refused at the limit.", refused),
  ];
}

export interface ProcessUse {
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** CPU time of all threads since the process started, in seconds. */
  readonly cpuSeconds: number;
  /** Start time in seconds since 1970 UTC. */
  readonly startedAt: number;
}

/** Metrics of the process, with the names that the Prometheus client libraries use. */
export function processMetrics(use: ProcessUse, eventLoopSeconds: number): readonly MetricFamily[] {
  return [
    gauge("process_resident_memory_bytes", "Resident memory.", use.residentBytes),
    counter("process_cpu_seconds_total", "Processor time of all threads.", use.cpuSeconds),
    gauge("process_start_time_seconds", "When the process was started.", use.startedAt),
    gauge("nodejs_heap_size_used_bytes", "Used heap of the main thread.", use.heapBytes),
    gauge("sluice_event_loop_delay_seconds", "Delay of the event loop, 99th percentile.", eventLoopSeconds),
  ];
}

const resolutionMs = 10;
const windowMs = 500;

/**
 * Delay of the event loop: its 99th percentile over the last half second. If it is high, every response is late,
 * including those to health probes.
 */
export class EventLoopDelay {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #timer: NodeJS.Timeout;
  #seconds = 0;

  constructor() {
    this.#histogram.enable();
    this.#timer = setInterval(() => this.#endWindow(), windowMs);
    this.#timer.unref();
  }

  /** The delay in seconds, minus the resolution of the timer. */
  seconds(): number {
    return this.#seconds;
  }

  /** Resets the measurement, for example after loading the first bundle. */
  reset(): void {
    this.#histogram.reset();
    this.#seconds = 0;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }

  #endWindow(): void {
    const p99Ms = this.#histogram.percentile(99) / 1e6;
    this.#seconds = Math.max(0, p99Ms - resolutionMs) / 1000;
    this.#histogram.reset();
  }
}
