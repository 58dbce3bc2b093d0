import type { TopLevelSpec } from "vega-lite";
import { type ReasonCode, reasonCodes } from "../../src/documents/decision.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import { formatCount } from "../../src/documents/number-text.js";
import { type ChartView, num, reportTable } from "../blocks.js";
import type { ReportedRequest } from "../reported-request.js";
import { colour, colourBy, rowChart, rowNames, rowsBy } from "./theme.js";

/** Requests that pass each gate, in the order of the gates; the last two rows are right and wrong routes. */
export interface FunnelData {
  readonly rows: readonly {
    readonly label: string;
    /** Number of requests of this row. */
    readonly requests: number;
    /** Start of the row's segment of the bar: the sum of the rows below. */
    readonly after: number;
    readonly kind: "all" | "leaves" | "right" | "wrong";
  }[];
}

/** Gates in decision order. Every other reason ends a request before candidates are scored. */
const gates: readonly { readonly label: string; readonly reasons: readonly ReasonCode[] }[] = [
  { label: "Declined by a text guard", reasons: ["OPEN_ENDED_REASONING", "MULTI_ACTION_UNSUPPORTED"] },
  { label: "No similar workflow", reasons: ["NO_WORKFLOW"] },
  { label: "Better match not allowed", reasons: ["BETTER_MATCH_NOT_ALLOWED"] },
  { label: "Workflow not certified", reasons: ["WORKFLOW_NOT_CERTIFIED"] },
  { label: "Finding inputs took too long", reasons: ["INPUT_EXTRACTION_TIMEOUT"] },
  { label: "Inputs missing, confidence too low to ask", reasons: ["LOW_CONFIDENCE_MISSING_INPUT"] },
  { label: "Inputs missing, question asked", reasons: ["MISSING_REQUIRED_INPUT"] },
];

const beforeScoring = "Ended before scoring";

const tierOff = "Tier abstains";

const belowThreshold = "Below the threshold";

const tooClose = "Two workflows too close";

const routedRight = "Routed right";

const routedWrong = "Routed wrong";

const order: readonly string[] = [
  beforeScoring,
  ...gates.map(({ label }) => label),
  tierOff,
  belowThreshold,
  tooClose,
  routedWrong,
  routedRight,
];

function rowOf(request: ReportedRequest, abstaining: ReadonlySet<string>): string {
  const { reason, routed, firstIsRight, tier } = request;
  if (routed) return firstIsRight ? routedRight : routedWrong;
  if (reason === "AMBIGUOUS_CANDIDATES") return tooClose;
  if (reason === "BELOW_RISK_THRESHOLD") return tier !== null && abstaining.has(tier) ? tierOff : belowThreshold;
  return gates.find(({ reasons }) => reasons.some((each) => each === reason))?.label ?? beforeScoring;
}

const kindOf = (label: string): FunnelData["rows"][number]["kind"] => {
  if (label === routedRight) return "right";
  return label === routedWrong ? "wrong" : "leaves";
};

/** Number of requests that leave at each gate, and the outcomes of the rest; empty without thresholds. */
export function funnelView(requests: readonly ReportedRequest[], { tiers }: Evaluation): ChartView<FunnelData> {
  const decided = requests.filter(({ reason }) => reason !== null && Object.hasOwn(reasonCodes, reason));
  const abstaining = new Set<string>(tiers.filter(({ threshold }) => threshold === null).map(({ tier }) => tier));
  const counts = new Map<string, number>();
  for (const request of decided) {
    const label = rowOf(request, abstaining);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  let left = decided.length;
  const gone = order.flatMap((label) => {
    const count = counts.get(label) ?? 0;
    if (count === 0 && kindOf(label) === "leaves") return [];
    left -= count;
    return [{ label, requests: count, after: left, kind: kindOf(label) }];
  });
  const rows = [{ label: "All requests", requests: decided.length, after: 0, kind: "all" as const }, ...gone];
  const title = "Where requests are declined";
  return {
    title,
    caption:
      "Each row counts the requests that end at this check; the others continue. Those of the last two rows passed " +
      "every check.",
    alt: `${title}: ${rows.map(({ label, requests: count }) => `${label} ${formatCount(count)}`).join(", ")}.`,
    data: decided.length === 0 ? null : { rows },
    table: reportTable(
      title,
      ["Check", num("End here"), num("Continue")],
      gone.map(({ label, requests: count, after, kind }) => [
        label,
        formatCount(count),
        kind === "leaves" ? formatCount(after) : "",
      ]),
    ),
  };
}

const rowHeight = 38;

/** One row per gate: its name and count, and below them the requests that pass (line) and leave (bar). */
export function funnelSpec({ rows }: FunnelData): TopLevelSpec {
  const values = rows.map((row) => ({
    ...row,
    until: row.after + row.requests,
    text: `${row.label}: ${row.requests.toLocaleString("en-US")}`,
  }));
  const y = rowsBy("label");
  const x = { type: "quantitative" as const, axis: null, scale: { nice: false } };
  return rowChart(values, rowHeight, [
    {
      mark: { type: "rule", strokeWidth: 1, color: colour.muted, yOffset: 8 },
      encoding: { x: { field: "zero", ...x }, x2: { field: "after" }, y },
      transform: [{ calculate: "0", as: "zero" }],
    },
    {
      mark: { type: "bar", height: 12, yOffset: 8, stroke: colour.data, strokeWidth: 1 },
      encoding: {
        x: { field: "after", ...x },
        x2: { field: "until" },
        y,
        color: colourBy("kind", [
          ["all", colour.muted],
          ["leaves", colour.band],
          ["right", colour.data],
          ["wrong", colour.target],
        ]),
      },
    },
    rowNames(y, { text: "text" }),
  ]);
}
