import { explainRequest, type RequestStory, type RightWorkflow } from "../../../stages/requests.js";
import type { WorkOf } from "../../command.js";
import type { evalExplainSpec } from "../../specs/eval.js";
import { counted, formatOdds, formatProportion } from "../../../src/documents/number-text.js";
import { bucketMeanings } from "../../../src/documents/choices.js";
import { reasonText } from "../../../reports/reason-text.js";
import { fields, table } from "../../table.js";
import { changeField, columnsNote } from "../route/explain-lines.js";
import { workflowText } from "../../../src/base/text.js";

export const evalExplain: WorkOf<typeof evalExplainSpec> = async (context, args) => {
  const story = await explainRequest(context, args);
  return {
    result: story,
    lines: storyLines(story),
    warnings: story.thresholds === null ? ["No thresholds apply: only the ranking of the workflows is shown."] : [],
  };
};

type Field = readonly [name: string, value: string];

/** Maximum number of displayed features; `--json` has all. */
const shownFeatures = 8;

/** Output lines from scores to decision, on one screen. */
function storyLines(story: RequestStory): readonly string[] {
  return [
    ...fields([
      ...requestFields(story),
      ...(story.text === undefined || story.text === null ? [] : [["text", JSON.stringify(story.text)] as const]),
    ]),
    ...(story.candidates.length === 0 ? ["no candidate was scored"] : ["", ...candidateTable(story), columnsNote, ""]),
    ...fields([
      ...featureFields(story),
      ...decisionFields(story),
      ...story.changes.map(changeField),
      ["right workflow", rightText(story.right_workflow)],
    ]),
  ];
}

function requestFields({ request: { id, fold, workflow_id, bucket, stage } }: RequestStory): readonly Field[] {
  return [
    ["request", `${id}, fold ${fold}`],
    ["label", workflowText(workflow_id)],
    ["outcome", `${bucket}: ${bucketMeanings[bucket]}${stage === null ? "" : ` (stage ${stage})`}`],
  ];
}

const headings = ["", "workflow", "tier", "allowed", "retrieval", "match", "confidence", "missing inputs"];

function candidateTable({ candidates }: RequestStory): readonly string[] {
  return table(
    candidates.map((candidate, index) => [
      `${candidate.place}${candidate.right === true ? " right" : ""}`,
      candidate.workflow_id,
      candidate.risk_tier,
      candidate.eligible ? "yes" : "no",
      candidate.retrieval_score.toFixed(4),
      formatProportion(1 / (1 + Math.exp(-candidate.match_logit))),
      index === 0
        ? candidate.confidence.toFixed(6)
        : formatOdds(Math.min(1, Math.exp(candidate.match_logit - (candidates[0]?.match_logit ?? 0)))),
      candidate.input_timeout ? "not scored in time" : candidate.missing_inputs.join(", ") || "none",
    ]),
    headings,
  );
}

function featureFields({ features }: RequestStory): readonly Field[] {
  if (features === null) return [];
  const pairs = features.map(({ name, value }) => `${name} ${(value ?? 0).toFixed(3)}`);
  const more = pairs.length - shownFeatures;
  return [["features", `${pairs.slice(0, shownFeatures).join(", ")}${more > 0 ? `, ${more} more: see --json` : ""}`]];
}

function decisionFields({ decision, bar, error_code: error }: RequestStory): readonly Field[] {
  if (error !== null) return [["error", error]];
  if (decision === null) return [];
  const shown = (value: number | null): string => (value === null ? "none: the tier abstains" : String(value));
  return [
    ["decision", [decision.decision, decision.workflow_id ?? ""].join(" ").trim()],
    ["reason", `${decision.reason_code}: ${reasonText(decision.reason_code)}`],
    ["margin", decision.margin === null ? "no second workflow" : String(decision.margin)],
    ...(bar === null
      ? []
      : [
          [
            "thresholds",
            `tier ${bar.tier}: confidence ${shown(bar.confidence)}, margin ${bar.margin ?? "none"}, to ask for inputs ${bar.clarify}`,
          ] as const,
        ]),
  ];
}

function rightText(right: RightWorkflow): string {
  switch (right.kind) {
    case "first":
      return "ranked first";
    case "behind":
      return `rank ${right.place}, confidence ${right.confidence}: ${right.missing} behind the first`;
    case "not_allowed":
      return "not allowed for this caller";
    case "not_a_candidate":
      return right.rank === null
        ? `not among the ${counted(right.top_k, "candidate")}: retrieval ranks it much lower`
        : `not among the ${counted(right.top_k, "candidate")}: retrieval ranks it at ${right.rank}`;
    case "none":
      return "none: out of scope, so declining is right";
  }
}
