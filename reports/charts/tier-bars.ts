import type { TopLevelSpec } from "vega-lite";
import { type RiskTier, riskTiers } from "../../src/documents/choices.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import { formatPercent, formatRate, noData } from "../../src/documents/number-text.js";
import { type ChartView, num, reportTable } from "../blocks.js";
import type { TierView } from "../tier-view.js";
import { chartConfig, colour, type Panel, plotWidth } from "./theme.js";

export interface TierBarsData {
  readonly rows: readonly {
    readonly tier: RiskTier;
    readonly measure: "coverage" | "selective risk";
    readonly estimate: number | null;
    readonly lower: number | null;
    readonly upper: number | null;
    readonly target: number | null;
    /** Text shown instead of a bar if there is no estimate. */
    readonly absent: string;
  }[];
}

export const targetText = (target: number | null): string =>
  target === null ? "none" : `at most ${formatPercent(target)}`;

/** Coverage and selective risk of every tier with their intervals, and the target next to the risk. */
export function tierBarsView(evaluation: Evaluation, tiers: readonly TierView[]): ChartView<TierBarsData> {
  const ordered = riskTiers.flatMap((tier) => evaluation.tiers.filter((t) => t.tier === tier));
  const rows = ordered.flatMap((t) => [
    { tier: t.tier, measure: "coverage" as const, rate: t.routed, target: null },
    { tier: t.tier, measure: "selective risk" as const, rate: t.selective_risk, target: t.target_risk },
  ]);
  return {
    title: "Coverage and selective risk by tier",
    caption: "A tier with its own target passes when the whole 95 % interval of its risk is at most the target.",
    legend: "The thin line is the interval, the vertical mark the target.",
    alt:
      rows.length === 0
        ? `Coverage and selective risk by tier: ${noData}.`
        : "Two bar charts with intervals, coverage above and selective risk with its target below, one bar for each of " +
          `${ordered.map((t) => t.tier).join(", ")}. The values are in the table below the chart.`,
    data:
      rows.length === 0
        ? null
        : {
            rows: rows.map(({ rate, ...row }) => ({
              ...row,
              estimate: rate.estimate,
              lower: rate.lower,
              upper: rate.upper,
              absent: rate.n === 0 && row.measure === "selective risk" ? "nothing routed" : noData,
            })),
          },
    table: reportTable(
      "Coverage and selective risk by tier",
      ["Tier", num("Coverage"), num("Selective risk"), num("Target"), "Verdict"],
      ordered.map((t) => [
        t.tier,
        formatRate(t.routed),
        formatRate(t.selective_risk),
        targetText(t.target_risk),
        tiers.find((view) => view.tier === t.tier)?.verdict ?? "",
      ]),
    ),
  };
}

type Row = TierBarsData["rows"][number];

const height = 120;

function top(rows: readonly Row[]): number {
  const limits = rows.flatMap((row) => [row.upper, row.target]).filter((value) => value !== null);
  return Math.min(1, 1.05 * Math.max(0.01, ...limits));
}

/** One panel: per tier a bar with its interval and a vertical mark at the target, or a text if there is no estimate. */
function panel(rows: readonly Row[], title: string, maximum: number): Panel {
  const y = {
    field: "tier",
    type: "nominal" as const,
    title: null,
    sort: null,
    scale: { domain: riskTiers.filter((tier) => rows.some((row) => row.tier === tier)) },
    axis: { domain: false, ticks: false, labelPadding: 8, labelColor: colour.ink },
  };
  const scale = {
    type: "quantitative" as const,
    title,
    scale: { domain: [0, maximum], nice: false },
    axis: { tickCount: 5, format: ".1~%" },
  };
  const known = rows.filter((row) => row.estimate !== null);
  const absent = rows.filter((row) => row.estimate === null).map((row) => ({ ...row, labelAt: row.target ?? 0 }));
  return {
    width: plotWidth,
    height,
    layer: [
      {
        data: { values: [...known] },
        mark: { type: "bar", height: 14, color: colour.band, stroke: colour.data, strokeWidth: 1 },
        encoding: { x: { field: "estimate", ...scale }, y },
      },
      {
        data: { values: [...known] },
        mark: { type: "rule", strokeWidth: 2, color: colour.ink },
        encoding: { x: { field: "lower", ...scale }, x2: { field: "upper" }, y },
      },
      {
        data: { values: rows.filter((row) => row.target !== null) },
        mark: { type: "tick", thickness: 3, size: 24, color: colour.target, opacity: 1 },
        encoding: { x: { field: "target", ...scale }, y },
      },
      {
        data: { values: [...absent] },
        mark: { type: "text", align: "left", dx: 6, fontSize: 12, fontStyle: "italic", color: colour.muted },
        encoding: { x: { field: "labelAt", ...scale }, y, text: { field: "absent" } },
      },
    ],
  };
}

/** Two panels: coverage, and below it selective risk with its target; one bar per tier, low to critical. */
export function tierBarsSpec(data: TierBarsData): TopLevelSpec {
  const coverage = data.rows.filter((row) => row.measure === "coverage");
  const risk = data.rows.filter((row) => row.measure === "selective risk");
  return {
    config: chartConfig,
    spacing: 18,
    resolve: { scale: { x: "independent" } },
    vconcat: [panel(coverage, "Coverage", 1), panel(risk, "Selective risk and target", top(risk))],
  };
}
