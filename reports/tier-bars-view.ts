import { riskTiers } from "../src/domain/choices.js";
import type { Evaluation } from "../src/domain/evaluation.js";
import { formatRate, noData } from "../src/domain/number-text.js";
import type { ChartView, TierBarsData, TierView } from "./report-model.js";

/** Coverage and selective risk of every tier with intervals, with the target next to the risk. */
export function tierBarsView(evaluation: Evaluation, tiers: readonly TierView[]): ChartView<TierBarsData> {
  const ordered = riskTiers.flatMap((tier) => evaluation.tiers.filter((t) => t.tier === tier));
  const rows = ordered.flatMap((t) => [
    { tier: t.tier, measure: "coverage" as const, rate: t.routed, target: null },
    { tier: t.tier, measure: "selective risk" as const, rate: t.selectiveRisk, target: t.targetRisk },
  ]);
  return {
    title: "Coverage and selective risk by tier",
    caption:
      "The thin line is the interval, the upright mark the target: a tier passes when its whole interval of the risk " +
      "lies at or left of the mark.",
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
    table: {
      caption: "Coverage and selective risk by tier",
      columns: [
        { label: "Tier", numeric: false },
        { label: "Coverage", numeric: true },
        { label: "Selective risk", numeric: true },
        { label: "Target", numeric: true },
        { label: "Verdict", numeric: false },
      ],
      rows: ordered.map((t) => [
        t.tier,
        formatRate(t.routed),
        formatRate(t.selectiveRisk),
        t.targetRisk === null ? "none" : `at most ${String(t.targetRisk)}`,
        tiers.find((view) => view.tier === t.tier)?.verdict ?? "",
      ]),
    },
  };
}
