import type { TopLevelSpec } from "vega-lite";
import type { Calibration } from "../../src/documents/calibration.js";
import { driftValue, expectedRates } from "../../src/documents/expected-rates.js";
import { formatCount, formatTenthsPercent } from "../../src/documents/number-text.js";
import { type ChartView, num, reportTable } from "../blocks.js";
import type { ReportedRequest } from "../reported-request.js";
import { colour, colourBy, rowChart, rowNames, rowsBy } from "./theme.js";

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

/** Formats a rate as a percentage and a mean confidence as a number. */
const driftText = (statistic: string, value: number): string =>
  statistic === "confidence" ? value.toFixed(3) : formatTenthsPercent(value);

function rowsOf(requests: readonly ReportedRequest[], calibration: Calibration): DriftData["rows"] {
  return expectedRates(calibration).flatMap((expected) => {
    const values = requests.flatMap(({ reason, routed, tier, confidence }) => {
      if (reason === null) return [];
      return driftValue(expected, { routed, reasonCode: reason, riskTier: tier, confidence }) ?? [];
    });
    if (values.length === 0) return [];
    const { statistic, tier, lower, upper } = expected;
    const value = values.reduce((sum, each) => sum + each, 0) / values.length;
    const label = tier === "all" ? `${statistic}, all tiers` : `${statistic}, tier ${tier}`;
    const text = {
      range: `${driftText(statistic, lower)} to ${driftText(statistic, upper)}`,
      value: driftText(statistic, value),
    };
    return [{ label, lower, upper, value, text, requests: values.length, inside: value >= lower && value <= upper }];
  });
}

/** The drift statistics of a server, computed on the requests of the report; empty without a calibration. */
export function driftView(requests: readonly ReportedRequest[], calibration: Calibration | null): ChartView<DriftData> {
  const rows = calibration === null ? [] : rowsOf(requests, calibration);
  const title = "These requests compared with the certification";
  return {
    title,
    caption:
      "The range expected for requests like those of the certification (99 %), and the value measured here. A server " +
      "monitors the same statistics for drift.",
    legend: "The bar is the range, the mark the value.",
    alt: `${title}: ${rows.map(({ label, text, inside }) => `${label} ${text.value} ${inside ? "inside" : "outside"}`).join(", ")}.`,
    data: rows.length === 0 ? null : { rows },
    table: reportTable(
      title,
      ["Statistic", num("Expected"), num("Measured"), num("Requests"), "In the range"],
      rows.map(({ label, text, requests: count, inside }) => [
        label,
        text.range,
        text.value,
        formatCount(count),
        inside ? "yes" : "no",
      ]),
    ),
  };
}

const rowHeight = 38;

/** One row per statistic: the expected interval as a bar, and a vertical mark at the measured value. */
export function driftSpec({ rows }: DriftData): TopLevelSpec {
  const y = rowsBy("label");
  const x = {
    type: "quantitative" as const,
    title: "Share, or mean confidence",
    scale: { domain: [0, 1] },
    axis: { tickCount: 5 },
  };
  return rowChart(rows, rowHeight, [
    {
      mark: { type: "bar", height: 12, yOffset: 8, color: colour.band, stroke: colour.data, strokeWidth: 1 },
      encoding: { x: { field: "lower", ...x }, x2: { field: "upper" }, y },
    },
    {
      mark: { type: "tick", thickness: 3, size: 22, opacity: 1, yOffset: 8 },
      encoding: {
        x: { field: "value", ...x },
        y,
        color: colourBy("inside", [
          [true, colour.ink],
          [false, colour.target],
        ]),
      },
    },
    rowNames(y),
  ]);
}
