import type { TopLevelSpec } from "vega-lite";
import { formatCount, noData } from "../../src/documents/number-text.js";
import { type ChartView, num, reportTable } from "../blocks.js";
import type { ReportedRequest } from "../reported-request.js";
import { chartConfig, colour } from "./theme.js";

/** Counts of one population by confidence, in bins of equal width. */
export interface ScoreBin {
  readonly population: string;
  readonly lower: number;
  readonly upper: number;
  readonly share: number;
  readonly requests: number;
}

export interface ScoreData {
  readonly bins: readonly ScoreBin[];
}

const binCount = 20;

const groups = [
  { population: "in scope", holds: ({ rightWorkflowId }: ReportedRequest) => rightWorkflowId !== null },
  { population: "out of scope, near", holds: ({ population }: ReportedRequest) => population === "near_oos" },
  { population: "out of scope, far", holds: ({ population }: ReportedRequest) => population === "far_oos" },
] as const;

function binsOf(population: string, own: readonly ReportedRequest[]): readonly ScoreBin[] {
  const counts = Array.from({ length: binCount }, () => 0);
  for (const { confidence } of own) {
    const bin = Math.min(binCount - 1, Math.floor(confidence * binCount));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((requests, index) => ({
    population,
    lower: index / binCount,
    upper: (index + 1) / binCount,
    share: requests / own.length,
    requests,
  }));
}

/** Histograms of the top candidate's confidence: in scope, near and far out of scope. */
export function scoresView(requests: readonly ReportedRequest[]): ChartView<ScoreData> {
  const bins = groups.flatMap(({ population, holds }) => {
    const own = requests.filter(holds);
    return own.length === 0 ? [] : binsOf(population, own);
  });
  const shown = groups.filter(({ holds }) => requests.some(holds)).map(({ population }) => population);
  return {
    title: "Confidence in and out of scope",
    caption: "Requests in and out of scope by the confidence of their first candidate. The less overlap, the better.",
    alt:
      bins.length === 0
        ? `Confidence in and out of scope: ${noData}.`
        : `Histograms of the confidence, one for each of ${shown.join(", ")}. The values are in the table below.`,
    data: bins.length === 0 ? null : { bins },
    table: reportTable(
      "Requests by confidence",
      ["Population", num("Confidence from"), num("to"), num("Requests")],
      bins
        .filter((bin) => bin.requests > 0)
        .map((bin) => [bin.population, bin.lower.toFixed(2), bin.upper.toFixed(2), formatCount(bin.requests)]),
    ),
  };
}

const width = 240;
const rowHeight = 62;

/** One histogram per population, over the same confidence axis. */
export function scoresSpec(data: ScoreData): TopLevelSpec {
  const populations = [...new Set(data.bins.map(({ population }) => population))];
  return {
    config: chartConfig,
    spacing: 10,
    vconcat: populations.map((population, index) => ({
      width,
      height: rowHeight,
      data: { values: data.bins.filter((bin) => bin.population === population) },
      mark: { type: "rect" as const, color: colour.band, stroke: colour.data, strokeWidth: 1 },
      encoding: {
        x: {
          field: "lower",
          type: "quantitative" as const,
          title: index === populations.length - 1 ? "Confidence" : null,
          scale: { domain: [0, 1] },
          axis: { values: [0, 0.2, 0.4, 0.6, 0.8, 1], grid: false, labels: index === populations.length - 1 },
        },
        x2: { field: "upper" },
        y: { field: "share", type: "quantitative" as const, title: population, axis: { tickCount: 2, format: ".0%" } },
        y2: { datum: 0 },
      },
    })),
  };
}
