import type { AttributionBucket, Evaluation } from "../src/domain/evaluation.js";
import { formatCount } from "../src/domain/number-text.js";
import type { Confusion } from "./confusion-tables.js";
import type { ChartView, CountBarsData } from "./report-model.js";

const drawnPairs = 10;

const good: ReadonlySet<AttributionBucket> = new Set(["correct_route", "right_question", "correct_abstention"]);

function viewOf(
  words: { readonly title: string; readonly caption: string; readonly columns: readonly [string, string] },
  bars: CountBarsData["bars"],
): ChartView<CountBarsData> {
  const [first, second] = words.columns;
  return {
    title: words.title,
    caption: words.caption,
    alt: `${words.title}: ${bars.map(({ label, requests }) => `${label} ${formatCount(requests)}`).join(", ")}.`,
    data: bars.length === 0 ? null : { bars },
    table: {
      caption: words.title,
      columns: [
        { label: first, numeric: false },
        { label: second, numeric: true },
      ],
      rows: bars.map(({ label, requests }) => [label, formatCount(requests)]),
    },
  };
}

/** Number of requests by outcome, in stage order; empty without decisions. */
export function endingsView({ detail }: Evaluation): ChartView<CountBarsData> {
  const rows = (detail?.attribution?.rows ?? []).filter(({ requests }) => requests > 0);
  const bars = rows.map(({ bucket, requests }) => {
    const lost = bucket === "out_of_scope_routed" ? "bad" : "other";
    return { label: bucket.replaceAll("_", " "), requests, kind: good.has(bucket) ? "good" : lost } as const;
  });
  const caption =
    "Each request once, at the first stage that lost it (pale) or where it ended well (filled). A request that is out " +
    "of scope and routed is always wrong.";
  return viewOf({ title: "Where requests end", caption, columns: ["Ending", "Requests"] }, bars);
}

/** The pairs that are confused most. */
export function confusedPairsView(confusions: readonly Confusion[]): ChartView<CountBarsData> {
  const bars = confusions.slice(0, drawnPairs).map(({ rightWorkflowId, firstWorkflowId, requests, routed }) => ({
    label: `${rightWorkflowId ?? "(out of scope)"} → ${firstWorkflowId}`,
    requests,
    kind: routed > 0 ? ("bad" as const) : ("other" as const),
  }));
  const caption = "Right workflow → the one that came first. Filled: at least one of them was routed.";
  return viewOf({ title: "Confused pairs", caption, columns: ["Right → first", "Requests"] }, bars);
}
