import type { TopLevelSpec } from "vega-lite";
import { formatPercent, formatTenthsPercent } from "../../src/documents/number-text.js";
import { type ChartView, num, reportTable } from "../blocks.js";
import { chartConfig, colour, plotWidth } from "./theme.js";

/** Planned result of one claim at one target. Shares are in [0, 1]. */
export interface PlannedPoint {
  readonly claim: string;
  readonly target: number;
  readonly probability: number;
  /** Expected coverage if it certifies; null if it never does. */
  readonly coverage: number | null;
  /** Description of the missing data; empty if nothing is missing. */
  readonly missing: string;
}

export interface PlanData {
  readonly points: readonly PlannedPoint[];
}

export function planView(points: readonly PlannedPoint[]): ChartView<PlanData> {
  return {
    title: "Claims and targets that the data can support",
    caption:
      "Each bar is the coverage expected if the target is certified; the number above it is the probability of " +
      "certification. Bars are filled at 80% or more, and pale below.",
    alt: "Expected coverage and probability of certification for every claim and target. The values are in the table below.",
    data: points.length === 0 ? null : { points },
    table: reportTable(
      "Plan: every claim and target, with the current data",
      ["Claim", num("Target"), num("Probability of certification"), num("Coverage"), "Missing"],
      points.map(({ claim, target, probability, coverage, missing }) => [
        claim,
        formatPercent(target, 2),
        formatTenthsPercent(probability),
        coverage === null ? "none" : formatTenthsPercent(coverage),
        missing,
      ]),
    ),
  };
}

const panelHeight = 110;
/** Formats a share; never as 100%, which a simulation cannot show. */
const percent = (share: number): string => (share > 0.99 ? ">99%" : `${Math.floor(100 * share + 1e-9)}%`);

/**
 * One panel per claim: a bar for the coverage at each target, pale if certification is unlikely, with its probability.
 */
export function planTargetsSpec({ points }: PlanData): TopLevelSpec {
  const claims = [...new Set(points.map(({ claim }) => claim))];
  const shown = points.map(({ claim, target, probability, coverage }) => ({
    claim,
    target: `${Number((100 * target).toFixed(2))}%`,
    coverage: coverage ?? 0,
    likely: probability >= 0.8 ? "yes" : "no",
    label: percent(probability),
  }));
  return {
    config: chartConfig,
    spacing: 16,
    vconcat: claims.map((claim, index) => {
      const x = {
        field: "target",
        type: "nominal" as const,
        sort: null,
        title: index === claims.length - 1 ? "Target" : null,
        axis: { labelAngle: 0, domain: false, ticks: false },
      };
      const y = {
        field: "coverage",
        type: "quantitative" as const,
        title: "Coverage",
        scale: { domain: [0, 1] },
        axis: { tickCount: 3, format: ".0~%" },
      };
      return {
        width: plotWidth,
        height: panelHeight,
        title: { text: `Claim: ${claim}`, anchor: "start" as const, fontSize: 13, color: colour.ink },
        data: { values: shown.filter((point) => point.claim === claim) },
        layer: [
          {
            mark: { type: "bar" as const, stroke: colour.data, strokeWidth: 1, width: 22 },
            encoding: {
              x,
              y,
              color: {
                field: "likely",
                type: "nominal" as const,
                legend: null,
                scale: { domain: ["yes", "no"], range: [colour.data, colour.band] },
              },
            },
          },
          {
            mark: { type: "text" as const, baseline: "bottom" as const, dy: -3, fontSize: 12, color: colour.ink },
            encoding: { x, y, text: { field: "label" } },
          },
        ],
      };
    }),
  };
}
