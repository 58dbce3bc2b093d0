import type { MetricFamily } from "./exposition.js";
import { counter, gauge } from "./runtime-metrics.js";

/** Resource use of the process. */
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
