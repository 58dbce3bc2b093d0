import type { TopLevelSpec } from "vega-lite";
import type { AttributionBucket } from "../../src/documents/choices.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import { formatCount } from "../../src/documents/number-text.js";
import { type ChartView, num, reportTable } from "../blocks.js";
import type { ConfusionPair } from "../../src/documents/comparison.js";
import { chartConfig, colour, colourBy } from "./theme.js";

/** Bars with a label and a count each, in the order drawn. */
export interface CountBarsData {
  readonly bars: readonly {
    readonly label: string;
    readonly requests: number;
    readonly kind: "good" | "bad" | "other";
  }[];
}

const drawnPairs = 10;

const good: ReadonlySet<AttributionBucket> = new Set(["correct_route", "right_question", "correct_abstention"]);

function viewOf(
  words: {
    readonly title: string;
    readonly caption: string;
    readonly legend?: string;
    readonly columns: readonly [string, string];
  },
  bars: CountBarsData["bars"],
): ChartView<CountBarsData> {
  const [first, second] = words.columns;
  return {
    title: words.title,
    caption: words.caption,
    ...(words.legend === undefined ? {} : { legend: words.legend }),
    alt: `${words.title}: ${bars.map(({ label, requests }) => `${label} ${formatCount(requests)}`).join(", ")}.`,
    data: bars.length === 0 ? null : { bars },
    table: reportTable(
      words.title,
      [first, num(second)],
      bars.map(({ label, requests }) => [label, formatCount(requests)]),
    ),
  };
}

/** Number of requests per outcome, in stage order; empty without decisions. */
export function endingsView({ detail }: Evaluation): ChartView<CountBarsData> {
  const rows = (detail.attribution?.rows ?? []).filter(({ requests }) => requests > 0);
  const bars = rows.map(({ bucket, requests }) => {
    const lost = bucket === "out_of_scope_routed" ? "bad" : "other";
    return { label: bucket.replaceAll("_", " "), requests, kind: good.has(bucket) ? "good" : lost } as const;
  });
  const caption =
    "Each request is counted once: at the first stage that failed, or at its correct outcome. A routed out-of-scope " +
    "request is always wrong.";
  return viewOf({ title: "Requests by first failure", caption, columns: ["Outcome", "Requests"] }, bars);
}

/** The most confused pairs. */
export function confusedPairsView(confusions: readonly ConfusionPair[]): ChartView<CountBarsData> {
  const bars = confusions
    .slice(0, drawnPairs)
    .map(({ right_workflow_id: rightWorkflowId, first_workflow_id: firstWorkflowId, requests, routed }) => ({
      label: `${rightWorkflowId ?? "(out of scope)"} → ${firstWorkflowId}`,
      requests,
      kind: routed > 0 ? ("bad" as const) : ("other" as const),
    }));
  const caption = "Right workflow → the workflow ranked first.";
  const legend = "Pairs with a wrong route are drawn darker.";
  return viewOf({ title: "Confused pairs", caption, legend, columns: ["Right → ranked first", "Requests"] }, bars);
}

const width = 240;
/** Height of a bar with a one-line name, in pixels; each further line adds its own height. */
const barStep = 40;
const lineHeight = 16;
/** Maximum width of a name in pixels; longer names are truncated. The table below the chart has the full names. */
const nameLimit = 290;

/** One bar per label, with the name above it so that long names fit a phone, and the count at its end. */
export function countBarsSpec(data: CountBarsData): TopLevelSpec {
  const bars = data.bars.map((bar) => ({ ...bar, lines: bar.label.replace(" → ", "\n→ ").split("\n") }));
  const more = (lineHeight / 2) * (Math.max(1, ...bars.map(({ lines }) => lines.length)) - 1);
  const y = {
    field: "label",
    type: "nominal" as const,
    sort: null,
    axis: null,
    scale: { paddingInner: 0, paddingOuter: 0 },
  };
  const x = { field: "requests", type: "quantitative" as const, axis: null };
  return {
    width,
    height: { step: barStep + 2 * more },
    config: chartConfig,
    data: { values: bars },
    layer: [
      {
        mark: { type: "bar", height: 12, yOffset: 8 + more, stroke: colour.data, strokeWidth: 1 },
        encoding: {
          x,
          y,
          color: colourBy("kind", [
            ["good", colour.data],
            ["other", colour.band],
            ["bad", colour.target],
          ]),
        },
      },
      {
        mark: { type: "text", align: "left", dx: 6, dy: 8 + more, fontSize: 12, color: colour.ink },
        encoding: { x, y, text: { field: "requests", format: ",d" } },
      },
      {
        mark: {
          type: "text",
          align: "left",
          dy: -8 - more,
          lineHeight,
          fontSize: 12,
          color: colour.ink,
          limit: nameLimit,
        },
        encoding: { x: { value: 0 }, y, text: { field: "lines" } },
      },
    ],
  };
}
