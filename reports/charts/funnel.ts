import type { TopLevelSpec } from "vega-lite";
import { chartConfig, colour, plotWidth } from "./theme.js";

/** Requests that pass each gate, in the order of the gates; the last two rows are right and wrong routes. */
export interface FunnelData {
  readonly rows: readonly {
    readonly label: string;
    /** Number of requests of this row. */
    readonly requests: number;
    /** Start of the row's segment of the bar: the sum of the rows below. */
    readonly after: number;
    readonly kind: "all" | "leaves" | "right" | "wrong";
  }[];
}

const rowHeight = 38;

/** One row per gate: its name and count, and below them the requests that pass (line) and leave (bar). */
export function funnelSpec({ rows }: FunnelData): TopLevelSpec {
  const values = rows.map((row) => ({
    ...row,
    until: row.after + row.requests,
    text: `${row.label}: ${row.requests.toLocaleString("en-US")}`,
  }));
  const y = { field: "label", type: "nominal" as const, sort: null, axis: null };
  const x = { type: "quantitative" as const, axis: null, scale: { nice: false } };
  return {
    width: plotWidth,
    height: { step: rowHeight },
    config: chartConfig,
    data: { values },
    layer: [
      {
        mark: { type: "rule", strokeWidth: 1, color: colour.muted, yOffset: 8 },
        encoding: { x: { field: "zero", ...x }, x2: { field: "after" }, y },
        transform: [{ calculate: "0", as: "zero" }],
      },
      {
        mark: { type: "bar", height: 12, yOffset: 8, stroke: colour.data, strokeWidth: 1 },
        encoding: {
          x: { field: "after", ...x },
          x2: { field: "until" },
          y,
          color: {
            field: "kind",
            type: "nominal",
            legend: null,
            scale: {
              domain: ["all", "leaves", "right", "wrong"],
              range: [colour.muted, colour.band, colour.data, colour.target],
            },
          },
        },
      },
      {
        mark: { type: "text", align: "left", dy: -8, fontSize: 12, color: colour.ink, limit: 290 },
        encoding: { x: { value: 0 }, y, text: { field: "text" } },
      },
    ],
  };
}
