import type { ConfusionPair } from "../src/documents/comparison.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { formatCount, formatRate, formatFixedPercent } from "../src/documents/number-text.js";
import type { Rate } from "../src/documents/rate.js";
import { num, reportTable, type ReportTable } from "./blocks.js";

/** Maximum number of rows per table; `sluice eval errors` lists all. */
const shownRows = 15;

export function confusionTable(confusions: readonly ConfusionPair[]): ReportTable {
  return reportTable(
    "Workflows confused with each other",
    ["Right workflow", "Ranked first", num("Requests"), num("Requests of the right workflow"), num("Routed")],
    confusions
      .slice(0, shownRows)
      .map(({ right_workflow_id: rightWorkflowId, first_workflow_id: firstWorkflowId, requests, routed, of }) => [
        rightWorkflowId ?? "(out of scope)",
        firstWorkflowId,
        formatCount(requests),
        formatCount(of),
        formatCount(routed),
      ]),
  );
}

const shownElsewhere: ReadonlySet<string> = new Set(["tier", "workflow", "population"]);

/** Table of the dataset's slices, largest joint risk first; empty if there are none. */
export function sliceTable({ detail }: Evaluation): ReportTable {
  const own = detail.slices.filter(({ dimension }) => !shownElsewhere.has(dimension));
  const ordered = [...own].sort((a, b) => (b.joint_risk.estimate ?? 0) - (a.joint_risk.estimate ?? 0));
  return reportTable(
    "Slices of the dataset",
    ["Slice", num("Requests"), num("Coverage"), num("Selective risk ↓"), num("Verified top-1 ↑")],
    ordered
      .slice(0, shownRows)
      .map(({ dimension, value, requests, coverage, selective_risk, verified_top1 }) => [
        `${dimension} = ${value}`,
        formatCount(requests),
        formatRate(coverage),
        formatRate(selective_risk),
        formatRate(verified_top1),
      ]),
  );
}

const estimateText = ({ estimate }: Rate): string => (estimate === null ? "–" : formatFixedPercent(estimate));

/** Rates of the groups of requests that both sides have, largest first; workflows have a table of their own. */
export function sliceChanges(a: Evaluation, b: Evaluation): ReportTable {
  const keyOf = ({ dimension, value }: Evaluation["detail"]["slices"][number]) => `${dimension}: ${value}`;
  const other = new Map(b.detail.slices.map((slice) => [keyOf(slice), slice]));
  const own = a.detail.slices.filter(({ dimension }) => dimension !== "workflow");
  const ordered = own.sort((x, y) => y.requests - x.requests || (keyOf(x) < keyOf(y) ? -1 : 1));
  return reportTable(
    "Groups of requests: A → B; single cells are not tested",
    ["Group", num("Requests"), num("Coverage ↑"), num("Selective risk ↓"), num("Verified top-1 ↑")],
    ordered.flatMap((slice) => {
      const after = other.get(keyOf(slice));
      if (after === undefined) return [];
      const rates = (["coverage", "selective_risk", "verified_top1"] as const).map(
        (rate) => `${estimateText(slice[rate])} → ${estimateText(after[rate])}`,
      );
      return [[keyOf(slice), formatCount(slice.requests), ...rates]];
    }),
  );
}
