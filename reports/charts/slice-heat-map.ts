import type { TopLevelSpec } from "vega-lite";
import type { Evaluation, SliceEvaluation } from "../../src/documents/evaluation.js";
import { counted, formatCount, formatTenthsPercent } from "../../src/documents/number-text.js";
import type { Rate } from "../../src/documents/rate.js";
import { type ChartView, num, reportTable } from "../blocks.js";
import { chartConfig, colour, colourBy, rowsBy } from "./theme.js";

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

const heatMeasures = [
  { label: "Coverage", of: (slice: SliceEvaluation) => slice.coverage, higher: true },
  { label: "Risk", of: (slice: SliceEvaluation) => slice.selective_risk, higher: false },
  { label: "First right", of: (slice: SliceEvaluation) => slice.verified_top1, higher: true },
] as const;

const drawnSlices = 16;

const keyOf = ({ dimension, value }: SliceEvaluation): string => `${dimension}: ${value}`;

/** Groups that both sides have, largest first. Workflows are left out because they have a separate chart. */
function sharedSlices(a: Evaluation, b: Evaluation) {
  const other = new Map(b.detail.slices.map((slice) => [keyOf(slice), slice]));
  return a.detail.slices
    .filter(({ dimension }) => dimension !== "workflow")
    .flatMap((slice) => {
      const same = other.get(keyOf(slice));
      return same === undefined ? [] : [{ name: keyOf(slice), a: slice, b: same }];
    })
    .sort((x, y) => y.a.requests - x.a.requests || (x.name < y.name ? -1 : 1));
}

/** Heat map of the changes per group of requests. */
export function heatMapView(a: Evaluation, b: Evaluation): ChartView<HeatMapData> {
  const slices = sharedSlices(a, b);
  const cellsOf = (slice: (typeof slices)[number]): readonly HeatCell[] =>
    heatMeasures.map(({ label, of, higher }) => {
      const [before, after] = [of(slice.a).estimate, of(slice.b).estimate];
      const difference = before === null || after === null ? null : after - before;
      return { slice: slice.name, measure: label, difference, good: difference !== null && difference > 0 === higher };
    });
  const cells = slices.slice(0, drawnSlices).flatMap(cellsOf);
  return {
    title: "Groups of requests",
    caption:
      `The ${formatCount(Math.min(drawnSlices, slices.length))} largest of ${counted(slices.length, "group")}. ` +
      "Individual cells are not tested.",
    legend: "Blue is better, orange is worse; a stronger colour is a larger difference.",
    alt: "Differences in coverage, risk and first candidate for each request group. The values are in the table below the chart.",
    data: cells.length === 0 ? null : { cells },
    table: reportTable(
      "Groups of requests: A → B",
      ["Group", num("Requests"), ...heatMeasures.map(({ label }) => num(label))],
      slices.map((slice) => [
        slice.name,
        formatCount(slice.a.requests),
        ...heatMeasures.map(({ of }) => `${estimateText(of(slice.a))} → ${estimateText(of(slice.b))}`),
      ]),
    ),
  };
}

const estimateText = ({ estimate }: Rate): string => (estimate === null ? "–" : formatTenthsPercent(estimate));

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
  const y = rowsBy("slice");
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
          color: colourBy("kind", [
            ["better", colour.data],
            ["worse", colour.target],
          ]),
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
