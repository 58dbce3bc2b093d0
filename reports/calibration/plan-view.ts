import { formatPercent, formatTenthsPercent } from "../../src/domain/number-text.js";
import type { PlanData, PlannedPoint } from "../charts/plan-targets.js";
import type { ChartView } from "../report-model.js";

/** Planned coverage and certification probability of every claim at every target. */
export function planView(points: readonly PlannedPoint[]): ChartView<PlanData> {
  return {
    title: "Claims and targets that the data can support",
    caption:
      "Each bar is the coverage expected where the target certifies; the number above it is the probability that it does. " +
      "Filled from 80 %, pale below.",
    alt: "Expected coverage and probability of certification for every claim and target. The values are in the table below.",
    data: points.length === 0 ? null : { points },
    table: {
      caption: "Plan: every claim at every target, with the present data",
      columns: [
        { label: "Claim", numeric: false },
        { label: "At most wrong", numeric: true },
        { label: "Certifies with probability", numeric: true },
        { label: "Coverage", numeric: true },
        { label: "Missing", numeric: false },
      ],
      rows: points.map(({ claim, target, probability, coverage, missing }) => [
        claim,
        formatPercent(target, 2),
        formatTenthsPercent(probability),
        coverage === null ? "none" : formatTenthsPercent(coverage),
        missing,
      ]),
    },
  };
}
