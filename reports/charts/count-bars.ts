import type { TopLevelSpec } from "vega-lite";
import { chartConfig, colour } from "./theme.js";

/** Bars with a label and a count each, in the order drawn. */
export interface CountBarsData {
  readonly bars: readonly {
    readonly label: string;
    readonly requests: number;
    readonly kind: "good" | "bad" | "other";
  }[];
}

const width = 240;
/** Height of a bar with a one-line name, in pixels; each further line adds its own height. */
const barStep = 40;
const lineHeight = 16;
/** Maximum width of a name in pixels; longer names are truncated. The table below the chart has the full names. */
const nameLimit = 290;

/** One bar per label, with the name above it so that long names fit a phone, and the count at its end. */
export function countBarsSpec(data: CountBarsData): TopLevelSpec {
  const bars = data.bars.map((bar) => ({ ...bar, lines: bar.label.replace(" → ", "\n→ ").split("\n") }));
  const more = (lineHeight / 2) * (Math.max(1, ...bars.map(({ lines }) => lines.length)) - 1);
  const y = {
    field: "label",
    type: "nominal" as const,
    sort: null,
    axis: null,
    scale: { paddingInner: 0, paddingOuter: 0 },
  };
  const x = { field: "requests", type: "quantitative" as const, axis: null };
  return {
    width,
    height: { step: barStep + 2 * more },
    config: chartConfig,
    data: { values: bars },
    layer: [
      {
        mark: { type: "bar", height: 12, yOffset: 8 + more, stroke: colour.data, strokeWidth: 1 },
        encoding: {
          x,
          y,
          color: {
            field: "kind",
            type: "nominal",
            legend: null,
            scale: { domain: ["good", "other", "bad"], range: [colour.data, colour.band, colour.target] },
          },
        },
      },
      {
        mark: { type: "text", align: "left", dx: 6, dy: 8 + more, fontSize: 12, color: colour.ink },
        encoding: { x, y, text: { field: "requests", format: ",d" } },
      },
      {
        mark: {
          type: "text",
          align: "left",
          dy: -8 - more,
          lineHeight,
          fontSize: 12,
          color: colour.ink,
          limit: nameLimit,
        },
        encoding: { x: { value: 0 }, y, text: { field: "lines" } },
      },
    ],
  };
}
