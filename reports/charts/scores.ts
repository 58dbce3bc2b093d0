import type { TopLevelSpec } from "vega-lite";
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
