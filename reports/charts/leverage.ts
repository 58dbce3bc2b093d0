import type { TopLevelSpec } from "vega-lite";
import { formatCount } from "../../src/documents/number-text.js";
import { type ChartView, num, reportTable } from "../blocks.js";
import type { Comparison } from "../../src/documents/comparison.js";
import { colour, rowChart, rowsBy } from "./theme.js";

export interface LeverageRow {
  readonly workflow: string;
  readonly better: number;
  readonly worse: number;
}

export interface LeverageData {
  readonly rows: readonly LeverageRow[];
}

const drawnWorkflows = 12;

export function leverageView({ by_workflow: byWorkflow }: Comparison): ChartView<LeverageData> {
  const rows = byWorkflow
    .map(({ workflow_id: workflowId, requests, flips, better, worse }) => ({
      workflow: workflowId ?? "(out of scope)",
      requests,
      flips,
      better,
      worse,
    }))
    .sort(
      (x, y) =>
        Math.abs(y.better - y.worse) - Math.abs(x.better - x.worse) ||
        y.flips - x.flips ||
        (x.workflow < y.workflow ? -1 : 1),
    );
  const shown = rows.slice(0, drawnWorkflows).map(({ workflow, better, worse }) => ({ workflow, better, worse }));
  return {
    title: "Workflows by change",
    caption:
      rows.length === 0
        ? "No workflow changed."
        : `The ${formatCount(shown.length)} of ${formatCount(rows.length)} changed workflows with the largest effect.`,
    alt: `Requests that end better or worse: ${shown.map(({ workflow, better, worse }) => `${workflow} ${better} better, ${worse} worse`).join("; ")}.`,
    data: shown.length === 0 ? null : { rows: shown },
    table: reportTable(
      "Workflows whose requests are decided differently",
      ["Workflow", num("Requests"), num("Flips"), num("Better"), num("Worse")],
      rows.map(({ workflow, requests, flips, better, worse }) => [
        workflow,
        ...[requests, flips, better, worse].map(formatCount),
      ]),
    ),
  };
}

/** Maximum width of a name in pixels; longer names are truncated. The table below the chart has the full names. */
const nameLimit = 320;

/** One line per workflow: requests that end worse to the left, requests that end better to the right. */
export function leverageSpec({ rows }: LeverageData): TopLevelSpec {
  const reach = Math.max(1, ...rows.flatMap(({ better, worse }) => [better, worse]));
  const y = rowsBy("workflow");
  const x = {
    type: "quantitative" as const,
    title: "Requests: worse to the left, better to the right",
    scale: { domain: [-1.25 * reach, 1.25 * reach], nice: false },
  };
  const bars = rows.map((row) => ({ ...row, left: -row.worse }));
  const bar = { type: "bar" as const, height: 12, yOffset: 9, strokeWidth: 1, stroke: colour.ink };
  const label = { type: "text" as const, dy: 9, fontSize: 12, color: colour.ink };
  return rowChart(bars, 40, [
    { mark: { ...bar, color: colour.target }, encoding: { x: { field: "left", ...x, axis: null }, y } },
    { mark: { ...bar, color: colour.data }, encoding: { x: { field: "better", ...x, axis: null }, y } },
    {
      transform: [{ filter: "datum.worse > 0" }],
      mark: { ...label, align: "right", dx: -5 },
      encoding: { x: { field: "left", ...x, axis: null }, y, text: { field: "worse", format: ",d" } },
    },
    {
      transform: [{ filter: "datum.better > 0" }],
      mark: { ...label, align: "left", dx: 5 },
      encoding: { x: { field: "better", ...x, axis: null }, y, text: { field: "better", format: ",d" } },
    },
    {
      mark: { type: "text", align: "left", dy: -10, fontSize: 12, color: colour.ink, limit: nameLimit },
      encoding: { x: { value: 0 }, y, text: { field: "workflow" } },
    },
  ]);
}
