import {
  counted,
  formatMilliseconds,
  formatOdds,
  formatProportion,
  formatScore,
} from "../../../src/documents/number-text.js";
import { reasonText } from "../../../reports/reason-text.js";
import type { RouteResponse } from "../../../src/documents/response.js";
import type { Shortlist } from "../../../src/documents/shortlist.js";
import type { OutcomeChange } from "../../../src/router/policy/what-would-change.js";
import type { RouteTrace, ScoreTrace, TracedCandidate } from "../../../src/router/explain.js";
import { fields, table } from "../../table.js";

/** Maximum number of displayed candidates; `--json` has all. */
const shownCandidates = 5;

type Field = readonly [name: string, value: string];

/** @param changes  what kept the request from a route, if known */
export function decisionLines(response: RouteResponse, changes: readonly OutcomeChange[] = []): readonly string[] {
  return fields([
    ["decision", [response.decision, response.workflow_id ?? ""].join(" ").trim()],
    ["reason", `${response.reason_code}: ${reasonOf(response, changes)}`],
    ...betweenField(response.reason_code === "ASK_BETWEEN" ? (response.shortlist?.workflows ?? []) : []),
    ...(response.negated_workflow_id === undefined ? [] : [["not wanted", response.negated_workflow_id] as const]),
    ["confidence", String(response.confidence)],
    ...(response.missing_inputs.length === 0 ? [] : [["missing", response.missing_inputs.join(", ")] as const]),
    ...(response.workflow_id === null ? [] : [["confirm", response.confirmation_required ? "yes" : "no"] as const]),
    ["latency", `${formatMilliseconds(response.latency_ms)}`],
  ]);
}

/** An abstaining tier shares its reason code with a low confidence. */
function reasonOf({ reason_code: code }: RouteResponse, changes: readonly OutcomeChange[]): string {
  if (code !== "BELOW_RISK_THRESHOLD" || changes.length === 0) return reasonText(code);
  const abstaining = changes.find((change) => change.kind === "tier_abstains");
  return abstaining === undefined
    ? "The confidence was below the tier's threshold."
    : `Tier ${abstaining.tier} abstains: nothing is routed to its workflows.`;
}

/** The question which of these workflows is meant; empty without workflows. */
export function betweenField(between: readonly { readonly workflow_id: string }[]): readonly Field[] {
  return between.length === 0 ? [] : [["ask", `${between.map(({ workflow_id }) => workflow_id).join(" or ")}?`]];
}

/** The workflows that a declined request may mean; empty if none is listed. */
export function shortlistLines(listed: Shortlist["workflows"]): readonly string[] {
  if (listed.length === 0) return [];
  const text = listed
    .map(({ workflow_id: workflowId, confidence }) => `${workflowId} (${formatProportion(confidence)})`)
    .join(", ");
  return fields([["may mean".padEnd("confidence".length), text]]);
}

/** Output lines from text to decision, on one screen; the text itself is not repeated. */
export function explainLines(response: RouteResponse, trace: RouteTrace): readonly string[] {
  const { scores } = trace;
  return [
    ...fields([
      ["models", response.model_version],
      ["versions", `calibration ${response.calibration_version}, catalog ${response.catalog_version}`],
      ["eligible", eligibleText(trace)],
      ...(scores === null ? [] : [retrievalField(scores)]),
      ...(scores?.previous === undefined
        ? []
        : [["follows", scores.previous ?? "no workflow that the caller may use"] as const]),
    ]),
    ...(scores === null ? ["no candidate was scored"] : candidateTable(scores.candidates)),
    ...(scores === null ? [] : fields(scores.changes.map(changeField))),
    "",
    ...decisionLines(response, scores?.changes),
  ];
}

function eligibleText({
  eligible_workflows: eligibleWorkflows,
  active_workflows: activeWorkflows,
}: RouteTrace): string {
  if (eligibleWorkflows === null) return "not checked: the request was refused earlier";
  return `${eligibleWorkflows} of ${activeWorkflows} active workflows`;
}

function retrievalField({
  best_retrieval: bestRetrieval,
  retrieval_floor: retrievalFloor,
  text_cut: textCut,
  pairs_cut: pairsCut,
  ineligible_competitors,
}: ScoreTrace): Field {
  const floor = `floor ${retrievalFloor}: ${bestRetrieval >= retrievalFloor ? "met" : "NOT met"}`;
  const cut = textCut ? "; only the beginning of the text was encoded" : "";
  const pairs = pairsCut === 0 ? "" : `; the verifier read ${counted(pairsCut, "pair")} only partly`;
  const hidden =
    ineligible_competitors === 0
      ? ""
      : `; ${counted(ineligible_competitors, "higher-ranked workflow that is not allowed was", "higher-ranked workflows that are not allowed were")} scored too`;
  return ["retrieval", `best ${formatProportion(bestRetrieval)}, ${floor}${cut}${pairs}${hidden}`];
}

export const columnsNote =
  "match: the verifier's probability that the workflow fits; confidence: that the first is right, and the odds of the others against it";

const headings = ["", "workflow", "tier", "rank", "retrieval", "match", "confidence", "found", "missing"];

function candidateTable(candidates: readonly TracedCandidate[]): readonly string[] {
  const rows = candidates
    .slice(0, shownCandidates)
    .map((candidate, index) => [
      String(candidate.rank),
      candidate.workflow_id,
      candidate.risk_tier,
      candidate.retrieval_rank === null ? "-" : String(candidate.retrieval_rank),
      formatProportion(candidate.retrieval_score),
      formatProportion(1 - candidate.mismatch_score),
      index === 0 ? formatScore(candidate.confidence) : formatOdds(candidate.relative_odds),
      candidate.found_inputs.join(", ") || "none",
      candidate.missing_inputs.join(", ") || "none",
    ]);
  const more = candidates.length - rows.length;
  return [...table(rows, headings), ...(more > 0 ? [`${more} more: see --json`] : []), columnsNote];
}

function followUpField({ answers, value, threshold }: Extract<OutcomeChange, { readonly kind: "follow_up" }>): Field {
  const which = answers === "repeats" ? "that repeat their workflow" : "that change their workflow";
  if (threshold === null) return ["confidence", `follow-ups ${which} are not routed: no confidence is enough`];
  return ["confidence", held(value, threshold, `of follow-ups ${which}`)];
}

/** The value that decided the outcome, and the value that would have changed it. */
export function changeField(change: OutcomeChange): Field {
  switch (change.kind) {
    case "confidence": {
      const bar = change.tier === null ? "for asking" : `of tier ${change.tier}`;
      return ["confidence", held(change.value, change.threshold, bar)];
    }
    case "margin":
      return ["margin", held(change.value, change.threshold, "between the first two")];
    case "retrieval":
      return ["retrieval", held(change.value, change.threshold, "(retrieval floor)")];
    case "follow_up":
      return followUpField(change);
    case "workflow_not_certified":
      return ["workflow", "not covered by the calibration: no confidence is enough"];
    case "tier_abstains":
      return ["confidence", `tier ${change.tier} abstains: no confidence is enough`];
    case "inputs":
      return ["inputs", `with ${change.names.join(", ")} the reason would be ${change.otherwise}`];
    case "inputs_in_time":
      return ["inputs", `if found in time, the reason would be ${change.otherwise}`];
    case "better_match_not_allowed":
      return [
        "not allowed",
        `a workflow that is not allowed for this caller matches better; without it: ${change.otherwise}`,
      ];
  }
}

function held(value: number, threshold: number, bar: string): string {
  const gap = formatScore(Math.abs(value - threshold));
  if (value >= threshold) return `${value} reaches the threshold ${threshold} ${bar}, by ${gap}`;
  return `${value} is below the threshold ${threshold} ${bar}, by ${gap}`;
}
