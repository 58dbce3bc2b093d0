import type { Evaluation } from "../src/domain/evaluation.js";
import { formatRate } from "../src/domain/number-text.js";
import type { ReportTable, TierView, Verdict } from "./report-model.js";

const targetText = (target: number | null): string => (target === null ? "none" : `at most ${String(target)}`);

/** Coverage and risk of all requests and of each tier with target, threshold and verdict: the numbers in one table. */
export function numbersTable(
  evaluation: Evaluation,
  tiers: readonly TierView[],
  overall: { readonly verdict: Verdict; readonly target: number | null },
): ReportTable {
  return {
    caption: "Promised and measured, 95 % intervals",
    columns: [
      { label: "Requests", numeric: false },
      { label: "Verdict", numeric: false },
      { label: "Target", numeric: true },
      { label: "Wrong / routed", numeric: true },
      { label: "Routed / requests", numeric: true },
      { label: "Confidence threshold", numeric: true },
    ],
    rows: [
      [
        "All",
        overall.verdict,
        targetText(overall.target),
        formatRate(evaluation.selectiveRisk),
        formatRate(evaluation.coverage),
        "by tier",
      ],
      ...evaluation.tiers.map(({ tier, targetRisk, selectiveRisk, routed, threshold }) => [
        `Tier ${tier}`,
        tiers.find((view) => view.tier === tier)?.verdict ?? "",
        targetText(targetRisk),
        formatRate(selectiveRisk),
        formatRate(routed),
        threshold === null ? "none" : String(threshold),
      ]),
    ],
  };
}
