import type { TopLevelSpec } from "vega-lite";
import { formatCount, formatTenthsPercent, formatPValue, noData } from "../../src/documents/number-text.js";
import type { Rate } from "../../src/documents/rate.js";
import { type ChartView, num, reportTable, type ReportTable } from "../blocks.js";
import type { Comparison, PairedMeasure } from "../../src/documents/comparison.js";
import { measureLabel } from "../comparison/comparison-verdict.js";
import { colour, rowChart, rowsBy } from "./theme.js";

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

const outcomeWords = {
  a_better: "A better",
  b_better: "B better",
  tied: "no difference shown",
  not_shown: "no difference shown",
} as const;

const shareText = ({ k, n, estimate }: Rate): string =>
  `${estimate === null ? noData : formatTenthsPercent(estimate)} (${formatCount(k)}/${formatCount(n)})`;

function pointsText(difference: number): string {
  const points = (100 * Math.abs(difference)).toFixed(1);
  if (points === "0.0") return points;
  return `${difference < 0 ? "−" : "+"}${points}`;
}

export const measureTable = ({ measures }: Comparison): ReportTable =>
  reportTable(
    "Measures of both sides; differences in percentage points with their 95% bands",
    ["Measure", num("A"), num("B"), num("B − A"), num("95% band"), num("p"), "Shown"],
    measures.map((measure) => [
      measureLabel(measure),
      shareText(measure.a),
      shareText(measure.b),
      measure.difference.value === null ? noData : pointsText(measure.difference.value),
      measure.band === null ? "none" : `${pointsText(measure.band.lower)} to ${pointsText(measure.band.upper)}`,
      measure.sign_flip === null ? "none" : formatPValue(measure.sign_flip.p_value),
      outcomeWords[measure.verdict],
    ]),
  );

function drawn(measure: PairedMeasure): readonly PairedDifference[] {
  const { difference, band, verdict } = measure;
  if (difference.value === null || band === null) return [];
  return [
    {
      measure: measureLabel(measure),
      difference: difference.value,
      lower: band.lower,
      upper: band.upper,
      outcome: outcomeWords[verdict],
    },
  ];
}

export function differenceView(compared: Comparison): ChartView<DifferenceData> {
  const rows = compared.measures.flatMap(drawn);
  return {
    title: "Differences with their bands",
    caption:
      "A band that contains 0 shows no difference. Higher is better for coverage and for requests routed right, " +
      "lower is better for the others.",
    alt: `Differences between B and A: ${rows.map(({ measure, outcome }) => `${measure} ${outcome}`).join(", ")}.`,
    data: rows.length === 0 ? null : { rows },
    table: measureTable(compared),
  };
}

const outcomes = ["B better", "A better", "no difference shown"] as const;

/** One line per measure: its band, a point for the difference, and a vertical line at zero. */
export function pairedDifferencesSpec({ rows }: DifferenceData): TopLevelSpec {
  const reach = Math.max(0.01, ...rows.flatMap(({ lower, upper }) => [Math.abs(lower), Math.abs(upper)]));
  const y = rowsBy("measure");
  const x = {
    type: "quantitative" as const,
    title: "B minus A",
    scale: { domain: [-1.05 * reach, 1.05 * reach], nice: false },
    axis: { tickCount: 5, format: "+.1~%" },
  };
  return rowChart(rows, 44, [
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
  ]);
}
