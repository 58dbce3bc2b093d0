import type { TopLevelSpec } from "vega-lite";
import { chartConfig, colour, plotWidth } from "./theme.js";

/** Drift statistics: the range expected by the calibration, and the values on the requests of this report. */
export interface DriftData {
  readonly rows: readonly {
    readonly label: string;
    readonly lower: number;
    readonly upper: number;
    readonly value: number;
    /** The formatted range and value. */
    readonly text: { readonly range: string; readonly value: string };
    readonly requests: number;
    readonly inside: boolean;
  }[];
}

const rowHeight = 38;

/** One row per statistic: the expected interval as a bar, and a vertical mark at the measured value. */
export function driftSpec({ rows }: DriftData): TopLevelSpec {
  const y = { field: "label", type: "nominal" as const, sort: null, axis: null };
  const x = {
    type: "quantitative" as const,
    title: "Share, or mean confidence",
    scale: { domain: [0, 1] },
    axis: { tickCount: 5 },
  };
  return {
    width: plotWidth,
    height: { step: rowHeight },
    config: chartConfig,
    data: { values: [...rows] },
    layer: [
      {
        mark: { type: "bar", height: 12, yOffset: 8, color: colour.band, stroke: colour.data, strokeWidth: 1 },
        encoding: { x: { field: "lower", ...x }, x2: { field: "upper" }, y },
      },
      {
        mark: { type: "tick", thickness: 3, size: 22, opacity: 1, yOffset: 8 },
        encoding: {
          x: { field: "value", ...x },
          y,
          color: {
            field: "inside",
            type: "nominal",
            legend: null,
            scale: { domain: [true, false], range: [colour.ink, colour.target] },
          },
        },
      },
      {
        mark: { type: "text", align: "left", dy: -8, fontSize: 12, color: colour.ink, limit: 290 },
        encoding: { x: { value: 0 }, y, text: { field: "label" } },
      },
    ],
  };
}
