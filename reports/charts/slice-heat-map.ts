import type { TopLevelSpec } from "vega-lite";
import { chartConfig, colour } from "./theme.js";

/** Difference of one measure for one group of requests. */
export interface HeatCell {
  readonly slice: string;
  readonly measure: string;
  /** B - A; null if a side has no estimate. */
  readonly difference: number | null;
  /** Whether the difference is an improvement. */
  readonly good: boolean;
}

export interface HeatMapData {
  readonly cells: readonly HeatCell[];
}

const cellWidth = 84;
const cellHeight = 44;
/** Maximum opacity of a cell that keeps its number readable. */
const darkest = 0.55;

function textOf(difference: number | null): string {
  if (difference === null) return "–";
  const points = (100 * Math.abs(difference)).toFixed(1);
  if (points === "0.0") return "0";
  return `${difference < 0 ? "−" : "+"}${points}`;
}

/**
 * One cell per group and measure: the difference in percentage points, darker if larger, with a hue for better or
 * worse.
 */
export function sliceHeatMapSpec({ cells }: HeatMapData): TopLevelSpec {
  const largest = Math.max(0.01, ...cells.map(({ difference }) => Math.abs(difference ?? 0)));
  const values = cells.map(({ slice, measure, difference, good }) => ({
    slice,
    measure,
    text: textOf(difference),
    kind: good ? "better" : "worse",
    depth: (darkest * Math.abs(difference ?? 0)) / largest,
  }));
  const first = cells[0]?.measure ?? "";
  const y = { field: "slice", type: "nominal" as const, sort: null, axis: null };
  const x = {
    field: "measure",
    type: "nominal" as const,
    sort: null,
    title: "B minus A, percentage points",
    axis: { labelAngle: 0, orient: "top" as const, domain: false, ticks: false, labelColor: colour.ink },
  };
  return {
    width: { step: cellWidth },
    height: { step: cellHeight },
    config: chartConfig,
    data: { values },
    layer: [
      {
        mark: { type: "rect", stroke: colour.grid, strokeWidth: 1, height: 22, yOffset: 10 },
        encoding: {
          x,
          y,
          color: {
            field: "kind",
            type: "nominal",
            legend: null,
            scale: { domain: ["better", "worse"], range: [colour.data, colour.target] },
          },
          opacity: { field: "depth", type: "quantitative", legend: null, scale: null },
        },
      },
      {
        mark: { type: "text", fontSize: 12, color: colour.ink, dy: 10 },
        encoding: { x, y, text: { field: "text" } },
      },
      {
        transform: [{ filter: { field: "measure", equal: first } }],
        mark: { type: "text", align: "left", fontSize: 12, color: colour.ink, dy: -9, limit: 300 },
        encoding: { x: { value: 2 }, y, text: { field: "slice" } },
      },
    ],
  };
}
