import type { TopLevelSpec } from "vega-lite";
import { chartConfig, colour, plotWidth } from "./theme.js";

/** The difference B - A of one measure, with its band. */
export interface PairedDifference {
  readonly measure: string;
  readonly difference: number;
  readonly lower: number;
  readonly upper: number;
  readonly outcome: "B better" | "A better" | "no difference shown";
}

export interface DifferenceData {
  readonly rows: readonly PairedDifference[];
}

const outcomes = ["B better", "A better", "no difference shown"] as const;

/** One line per measure: its band, a point for the difference, and a vertical line at zero. */
export function pairedDifferencesSpec({ rows }: DifferenceData): TopLevelSpec {
  const reach = Math.max(0.01, ...rows.flatMap(({ lower, upper }) => [Math.abs(lower), Math.abs(upper)]));
  const y = { field: "measure", type: "nominal" as const, sort: null, axis: null };
  const x = {
    type: "quantitative" as const,
    title: "B minus A",
    scale: { domain: [-1.05 * reach, 1.05 * reach], nice: false },
    axis: { tickCount: 5, format: "+.1~%" },
  };
  return {
    width: plotWidth,
    height: { step: 44 },
    config: chartConfig,
    data: { values: [...rows] },
    layer: [
      {
        data: { values: [{ zero: 0 }] },
        mark: { type: "rule", strokeWidth: 1.5, color: colour.muted },
        encoding: { x: { field: "zero", ...x } },
      },
      {
        mark: { type: "rule", strokeWidth: 3, color: colour.data, yOffset: 8 },
        encoding: { x: { field: "lower", ...x }, x2: { field: "upper" }, y },
      },
      {
        mark: { type: "point", filled: true, size: 110, opacity: 1, yOffset: 8, stroke: colour.ink, strokeWidth: 1 },
        encoding: {
          x: { field: "difference", ...x },
          y,
          color: {
            field: "outcome",
            type: "nominal",
            title: null,
            legend: { columns: 1 },
            scale: { domain: [...outcomes], range: [colour.data, colour.target, colour.paper] },
          },
          shape: {
            field: "outcome",
            type: "nominal",
            title: null,
            legend: { columns: 1 },
            scale: { domain: [...outcomes], range: ["circle", "diamond", "square"] },
          },
        },
      },
      {
        mark: { type: "text", align: "left", dy: -12, fontSize: 12, stroke: colour.paper, strokeWidth: 5 },
        encoding: { x: { value: 0 }, y, text: { field: "measure" } },
      },
      {
        mark: { type: "text", align: "left", dy: -12, fontSize: 12, color: colour.ink },
        encoding: { x: { value: 0 }, y, text: { field: "measure" } },
      },
    ],
  };
}
