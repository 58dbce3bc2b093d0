import type { Config, TopLevelSpec } from "vega-lite";
import type { RiskTier } from "../../src/documents/choices.js";

/** Width of the plot area of every chart, in pixels; the page scales charts down, never up. */
export const plotWidth = 240;

/**
 * Colours as CSS variables of the page, so that the same SVG works in light mode, dark mode and print. The fallback
 * values (Okabe and Ito's palette, safe for colour-blind readers) apply to a stand-alone SVG.
 */
export const colour = {
  ink: "var(--ink, #1c2530)",
  muted: "var(--muted, #5a6675)",
  grid: "var(--grid, #dde3ea)",
  data: "var(--data, #0072b2)",
  band: "var(--band, #b7d7ee)",
  target: "var(--target, #b34700)",
  paper: "var(--paper, #ffffff)",
} as const;

/** Shape of each tier, so that tiers do not differ only by colour. */
export const tierShape: Readonly<Record<RiskTier, string>> = {
  low: "circle",
  medium: "square",
  high: "triangle-up",
  critical: "diamond",
};

const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

export const chartConfig: Config = {
  font,
  background: "transparent",
  aria: false,
  view: { stroke: null },
  axis: {
    labelColor: colour.muted,
    titleColor: colour.ink,
    labelFontSize: 12,
    titleFontSize: 13,
    titleFontWeight: 600,
    titlePadding: 8,
    gridColor: colour.grid,
    domainColor: colour.muted,
    tickColor: colour.muted,
    labelFlush: false,
  },
  legend: {
    orient: "bottom",
    /** In a single row, the legend would be wider than the chart, and the page would shrink both. */
    columns: 2,
    titleColor: colour.ink,
    labelColor: colour.ink,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 600,
    symbolSize: 110,
    labelLimit: 0,
  },
};

export type Layer = Extract<TopLevelSpec, { layer: unknown }>["layer"][number];
export type Panel = Extract<TopLevelSpec, { vconcat: unknown }>["vconcat"][number];

export const targetRule = { type: "rule" as const, strokeDash: [6, 4], strokeWidth: 1.5, color: colour.target };

export const markedPoint = {
  type: "point" as const,
  fill: colour.paper,
  stroke: colour.ink,
  strokeWidth: 1.8,
  size: 100,
  opacity: 1,
};

export const markShapes = (names: readonly [string, string]) => ({
  field: "name",
  type: "nominal" as const,
  title: null,
  scale: { domain: [...names], range: ["circle", "cross"] },
});
