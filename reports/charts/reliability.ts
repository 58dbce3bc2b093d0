import type { TopLevelSpec } from "vega-lite";
import type { Measured, ReliabilityBin } from "../../src/documents/evaluation.js";
import {
  counted,
  formatMeasured,
  formatProportion,
  formatProportionOf,
  noData,
} from "../../src/documents/number-text.js";
import { type ChartView, num, reportTable } from "../blocks.js";
import { chartConfig, colour } from "./theme.js";

export interface ReliabilityData {
  readonly bins: readonly ReliabilityBin[];
}

/** Stated confidence against measured accuracy, and the expected calibration error. */
export interface Reliability {
  readonly bins: readonly ReliabilityBin[];
  readonly error: Measured;
}

/** The reliability diagram: stated confidence against the measured share of right answers, with 95% Wilson bars. */
export function reliabilityView(
  { bins, error }: Reliability,
  title = "Reliability of the confidence",
): ChartView<ReliabilityData> {
  const n = bins.reduce((sum, bin) => sum + bin.n, 0);
  return {
    title,
    caption:
      `How often ${counted(n, "request")} were right at each confidence, with 95% Wilson intervals. Where fewer are ` +
      `right than the confidence says, it is too high. Expected calibration error: ${formatMeasured(error)}.`,
    legend:
      "On the diagonal, a confidence of 0.8 is right 8 times in 10. Points below it are overconfident. The columns below " +
      "count the requests.",
    alt:
      n === 0
        ? `${title}: ${noData}.`
        : `${title}: reliability diagram of ${counted(n, "request")} in ${bins.length} bins, with the diagonal and a histogram ` +
          "of the counts. The values are in the table below the chart.",
    data: n === 0 ? null : { bins },
    table: reportTable(
      "Bins of the reliability diagram",
      [num("Confidence above"), num("up to"), num("Mean confidence"), num("Right / requests")],
      bins.map((bin) => [
        formatProportion(bin.lower),
        formatProportion(bin.upper),
        formatProportion(bin.mean_confidence),
        formatProportionOf(bin.correct, bin.n, [bin.accuracy_lower, bin.accuracy_upper]),
      ]),
    ),
  };
}

const side = 240;
const histogramHeight = 80;
const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];

/**
 * Square reliability diagram: the diagonal, and a point with its Wilson interval per bin; below, the number of requests
 * per bin.
 */
export function reliabilitySpec(data: ReliabilityData): TopLevelSpec {
  const unit = { type: "quantitative" as const, scale: { domain: [0, 1] } };
  const accuracy = { ...unit, title: "Measured share right", axis: { values: ticks } };
  const bins = { values: [...data.bins] };
  return {
    config: chartConfig,
    spacing: 12,
    vconcat: [
      {
        width: side,
        height: side,
        layer: [
          {
            data: {
              values: [
                { mean_confidence: 0, accuracy: 0 },
                { mean_confidence: 1, accuracy: 1 },
              ],
            },
            mark: { type: "line", strokeDash: [6, 4], strokeWidth: 1.5, color: colour.muted },
            encoding: {
              x: { field: "mean_confidence", ...unit, title: null, axis: { values: ticks, labels: false } },
              y: { field: "accuracy", ...accuracy },
            },
          },
          {
            data: bins,
            mark: { type: "rule", strokeWidth: 2, color: colour.data },
            encoding: {
              x: { field: "mean_confidence", ...unit },
              y: { field: "accuracy_lower", ...accuracy },
              y2: { field: "accuracy_upper" },
            },
          },
          {
            data: bins,
            mark: { type: "point", filled: true, size: 70, color: colour.data, opacity: 1 },
            encoding: { x: { field: "mean_confidence", ...unit }, y: { field: "accuracy", ...accuracy } },
          },
        ],
      },
      {
        width: side,
        height: histogramHeight,
        data: bins,
        mark: { type: "rect", color: colour.band, stroke: colour.data, strokeWidth: 1 },
        encoding: {
          x: { field: "lower", ...unit, title: "Stated confidence", axis: { values: ticks, grid: false } },
          x2: { field: "upper" },
          y: { field: "n", type: "quantitative", title: "Requests", axis: { tickCount: 3, format: ",d" } },
          y2: { datum: 0 },
        },
      },
    ],
  };
}
