import { reasonText } from "../../../reports/reason-text.js";
import type { Calibration } from "../../../src/domain/calibration.js";
import type { CandidateDetail, RouteResponse } from "../../../src/domain/response.js";
import { marginOf } from "../../../src/policy/apply-calibration.js";
import { fields, table } from "../../table.js";

/** Numbers of a decision beside those of its candidates; null where there is no such number. */
export interface Comparison {
  /** Best retrieval score of the shown candidates. */
  readonly retrieval: number | null;
  readonly retrieval_floor: number;
  readonly confidence: number | null;
  readonly confidence_threshold: number | null;
  /** Which threshold applies: that of the tier, or that for asking back. */
  readonly confidence_of: "tier" | "clarify" | null;
  readonly margin: number | null;
  readonly margin_threshold: number | null;
}

/** Holds the first candidate against its thresholds, as the decision did. */
export function compare(candidates: readonly CandidateDetail[], calibration: Calibration): Comparison {
  const [top, second] = candidates;
  const retrievalFloor = calibration.minRetrievalScore;
  if (top === undefined) return { ...nothingToCompare, retrieval_floor: retrievalFloor };
  const asksBack = top.missingInputs.length > 0;
  return {
    retrieval: Math.max(...candidates.map((candidate) => candidate.retrievalScore)),
    retrieval_floor: retrievalFloor,
    confidence: top.confidence,
    confidence_threshold: asksBack ? calibration.clarifyThreshold : top.confidenceThreshold,
    confidence_of: asksBack ? "clarify" : "tier",
    margin: second === undefined ? null : marginOf(top.confidence, second.confidence),
    margin_threshold: top.marginThreshold,
  };
}

const nothingToCompare = {
  retrieval: null,
  confidence: null,
  confidence_threshold: null,
  confidence_of: null,
  margin: null,
  margin_threshold: null,
} as const;

/** The decision in words. */
export function decisionLines(response: RouteResponse): readonly string[] {
  return fields([
    ["decision", [response.decision, response.workflowId ?? ""].join(" ").trim()],
    ["reason", `${response.reasonCode}: ${reasonText(response.reasonCode)}`],
    ["confidence", String(response.confidence)],
    ...(response.missingInputs.length === 0 ? [] : [["missing", response.missingInputs.join(", ")] as const]),
    ...(response.workflowId === null ? [] : [["confirm", response.confirmationRequired ? "yes" : "no"] as const]),
    ["latency", `${response.latencyMs.toFixed(1)} ms`],
  ]);
}

/** One screen from the candidates to the decision; the text of the request is not repeated. */
export function explainLines(response: RouteResponse, calibration: Calibration): readonly string[] {
  const candidates = response.candidates ?? [];
  return [
    ...fields([
      ["models", response.modelVersion],
      ["calibration", response.calibrationVersion],
      ["catalog", response.catalogVersion],
    ]),
    "",
    ...(candidates.length === 0 ? ["no candidate was scored"] : candidateTable(candidates)),
    "",
    ...comparisonLines(compare(candidates, calibration), response.reasonCode),
    ...decisionLines(response),
  ];
}

const headings = [
  "",
  "workflow",
  "tier",
  "retrieval",
  "mismatch",
  "needs input",
  "executable",
  "confidence",
  "missing",
];

function candidateTable(candidates: readonly CandidateDetail[]): readonly string[] {
  const rows = candidates.map((candidate) => [
    String(candidate.rank),
    candidate.workflowId,
    candidate.riskTier,
    candidate.retrievalScore.toFixed(4),
    candidate.mismatchScore.toFixed(4),
    candidate.needsInputScore.toFixed(4),
    candidate.executableScore.toFixed(4),
    candidate.confidence.toFixed(6),
    candidate.missingInputs.join(", ") || "none",
  ]);
  return table(rows, headings);
}

function comparisonLines(found: Comparison, reason: RouteResponse["reasonCode"]): readonly string[] {
  if (found.retrieval === null || found.confidence === null) return [];
  const bar = found.confidence_of === "clarify" ? "threshold for asking back" : "threshold of the tier";
  const floor = `floor ${found.retrieval_floor}: ${reason === "NO_WORKFLOW" ? "NOT met" : "met"}`;
  const margin =
    found.margin === null
      ? "there is no second candidate"
      : held(found.margin, found.margin_threshold, "threshold", "none is asked for");
  return [
    ...fields([
      ["retrieval", `${found.retrieval.toFixed(4)}, ${floor}`],
      ["confidence", held(found.confidence, found.confidence_threshold, bar, "none, the tier abstains")],
      ["margin", margin],
    ]),
    "",
  ];
}

function held(value: number, threshold: number | null, bar: string, absent: string): string {
  if (threshold === null) return `${value}, ${bar}: ${absent}`;
  return `${value}, ${bar} ${threshold}: ${value >= threshold ? "met" : "NOT met"}`;
}
