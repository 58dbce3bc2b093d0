import { counted } from "../../../src/domain/number-text.js";
import { bucketMeanings } from "../../../eval/requests/request-bucket.js";
import { reasonText } from "../../../reports/reason-text.js";
import type { RequestStory, RightWorkflow } from "../../../workbench/evaluation/explain-request.js";
import { fields, table } from "../../table.js";
import { changeField } from "../route/explain-lines.js";
import { workflowText } from "../../../eval/requests/error-groups.js";

type Field = readonly [name: string, value: string];

/** Columns of the verifier's evidence on the screen; `--json` has all of them. */
const shownEvidence = 8;

/** One screen from scores to decision. @param inDataset  false for a text without a label */
export function storyLines(story: RequestStory, inDataset: boolean): readonly string[] {
  return [
    ...fields([
      ...(inDataset ? requestFields(story) : []),
      ...(story.text === null ? [] : [["text", JSON.stringify(story.text)] as const]),
    ]),
    ...(story.candidates.length === 0 ? ["no candidate was scored"] : ["", ...candidateTable(story), ""]),
    ...fields([
      ...evidenceFields(story),
      ...decisionFields(story),
      ...story.changes.map(changeField),
      ...(story.rightWorkflow === null ? [] : [["right one", rightText(story.rightWorkflow)] as const]),
    ]),
  ];
}

function requestFields({ record, bucket, stage }: RequestStory): readonly Field[] {
  return [
    ["request", `${record.id}, fold ${record.fold}`],
    ["label", workflowText(record.workflowId)],
    ["ended", `${bucket}: ${bucketMeanings[bucket]}${stage === null ? "" : ` (stage ${stage})`}`],
  ];
}

const headings = ["", "workflow", "tier", "allowed", "retrieval", "match", "confidence", "missing inputs"];

function candidateTable({ candidates }: RequestStory): readonly string[] {
  return table(
    candidates.map((candidate) => [
      `${candidate.place}${candidate.right === true ? " right" : ""}`,
      candidate.workflowId,
      candidate.riskTier,
      candidate.eligible ? "yes" : "no",
      candidate.retrievalScore.toFixed(4),
      candidate.matchLogit.toFixed(4),
      candidate.confidence.toFixed(6),
      candidate.inputTimeout ? "not scored in time" : candidate.missingInputs.join(", ") || "none",
    ]),
    headings,
  );
}

function evidenceFields({ evidence }: RequestStory): readonly Field[] {
  if (evidence === null) return [];
  const pairs = evidence.features.map((name, index) => `${name} ${(evidence.values[index] ?? 0).toFixed(3)}`);
  const more = pairs.length - shownEvidence;
  return [["evidence", `${pairs.slice(0, shownEvidence).join(", ")}${more > 0 ? `, ${more} more: see --json` : ""}`]];
}

function decisionFields({ decision, bar, record }: RequestStory): readonly Field[] {
  if (record.errorCode !== null) return [["error", record.errorCode]];
  if (decision === null) return [];
  const shown = (value: number | null): string => (value === null ? "none: the tier abstains" : String(value));
  return [
    ["decision", [decision.decision, decision.workflowId ?? ""].join(" ").trim()],
    ["reason", `${decision.reasonCode}: ${reasonText(decision.reasonCode)}`],
    ["margin", decision.margin === null ? "no second workflow" : String(decision.margin)],
    ...(bar === null
      ? []
      : [
          [
            "bar",
            `tier ${bar.tier}: confidence ${shown(bar.confidence)}, margin ${bar.margin ?? "not asked"}, to ask back ${bar.clarify}`,
          ] as const,
        ]),
  ];
}

function rightText(right: RightWorkflow): string {
  switch (right.kind) {
    case "first":
      return "came first";
    case "behind":
      return `rank ${right.place}, confidence ${right.confidence}: ${right.missing} behind the first`;
    case "not_allowed":
      return "not allowed for this caller";
    case "not_a_candidate":
      return right.rank === null
        ? `not among the ${counted(right.topK, "candidate")}: retrieval ranks it much lower`
        : `not among the ${counted(right.topK, "candidate")}: retrieval ranks it ${right.rank}`;
    case "none":
      return "none: out of scope, so declining is right";
  }
}
