import type { ConnectionCounts } from "../plugins/connection-limit.js";
import type { MetricFamily } from "./exposition.js";
import { counter, gauge } from "./runtime-metrics.js";

/** Metrics of the service's connections, excluding the metrics address and the control socket. */
export function connectionMetrics({ open, closedForRoom, refused }: ConnectionCounts): readonly MetricFamily[] {
  return [
    gauge("sluice_connections_open", "Open connections.", open),
    counter("sluice_connections_closed_for_room_total", "Quiet connections closed for newer ones.", closedForRoom),
    counter("sluice_connections_refused_total", "Connections refused at the limit.", refused),
  ];
}
