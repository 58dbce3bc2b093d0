import type { EvaluatedThresholds } from "../../eval/metrics/evaluated-thresholds.js";
import type { RecordOutcome } from "../../eval/metrics/record-outcome.js";
import type { DecidedRequest } from "../../eval/requests/decided-request.js";
import type { ReportedRequest } from "../../reports/reported-request.js";
import { applyCalibration } from "../../src/policy/apply-calibration.js";
import { decide } from "../../src/policy/decide.js";

/** Number of candidates per request in the report. */
const namedCandidates = 3;
const uncalibrated = { slope: 1, intercept: 0 } as const;

interface ReportedRequestOptions {
  readonly thresholds: EvaluatedThresholds | null;
  /** Texts by id; null: the report contains none. */
  readonly texts: ReadonlyMap<string, string> | null;
}

/** The scored requests as the report shows them, in their order. */
export function reportedRequests(
  requests: readonly DecidedRequest[],
  { thresholds, texts }: ReportedRequestOptions,
): readonly ReportedRequest[] {
  return requests.flatMap(({ record, outcome, bucket }) => {
    if (outcome === null) return [];
    const ranked = applyCalibration(thresholds?.calibrator ?? uncalibrated, record.candidates);
    return [
      {
        id: record.id,
        population: record.population,
        cluster: record.cluster,
        rightWorkflowId: record.workflowId,
        ...firstOf(outcome),
        firstIsRight: outcome.topIsRight,
        routed: outcome.decision?.decision === "ROUTE",
        routable: isRoutable(outcome, thresholds),
        reason: outcome.decision?.reasonCode ?? null,
        bucket,
        ...(texts === null ? {} : { text: texts.get(record.id) ?? "" }),
        candidates: ranked.slice(0, namedCandidates).map(({ workflowId, confidence }) => ({ workflowId, confidence })),
      },
    ];
  });
}

function firstOf({ top }: RecordOutcome): Pick<ReportedRequest, "tier" | "confidence"> {
  return top === null ? { tier: null, confidence: 0 } : { tier: top.riskTier, confidence: top.confidence };
}

/** Whether the request is routed at a threshold of 0 for its tier. */
function isRoutable({ record, top }: RecordOutcome, thresholds: EvaluatedThresholds | null): boolean {
  if (top === null || record.earlyReason !== null) return false;
  if (thresholds === null) return true;
  const tiers = { ...thresholds.tiers, [top.riskTier]: { ...thresholds.tiers[top.riskTier], confidence: 0 } };
  return decide(record.candidates, { ...thresholds, tiers }).decision === "ROUTE";
}
