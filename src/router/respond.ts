import type { Calibration } from "../documents/calibration.js";
import type { Workflow } from "../documents/catalog.js";
import type { Decision, ScoredCandidate } from "../documents/decision.js";
import type { VerifierLabel } from "../documents/choices.js";
import type { CandidateDetail, Lineage, PartOfText, RouteResponse } from "../documents/response.js";
import type { Shortlist } from "../documents/shortlist.js";
import { applyCalibration } from "./policy/apply-calibration.js";

/** Probabilities of the three labels: softmax of the logits. */
function labelScores(logits: ScoredCandidate["logits"]): Readonly<Record<VerifierLabel, number>> {
  const top = Math.max(logits.mismatch, logits.needs_input, logits.executable);
  const mismatch = Math.exp(logits.mismatch - top);
  const needsInput = Math.exp(logits.needs_input - top);
  const executable = Math.exp(logits.executable - top);
  const total = mismatch + needsInput + executable;
  return { mismatch: mismatch / total, needs_input: needsInput / total, executable: executable / total };
}

/** Eligible candidates in decision order, for debugging in development. Ineligible competitors are never shown. */
export function candidateDetails(
  candidates: readonly ScoredCandidate[],
  calibration: Calibration,
): readonly CandidateDetail[] {
  return applyCalibration(calibration.calibrator, candidates)
    .filter((candidate) => candidate.eligible)
    .map((candidate, index) => {
      const scores = labelScores(candidate.logits);
      const tier = calibration.tiers[candidate.risk_tier];
      const matching = candidate.missing_inputs.length > 0 ? "needs_input" : "executable";
      return {
        workflow_id: candidate.workflow_id,
        rank: index + 1,
        risk_tier: candidate.risk_tier,
        retrieval_score: candidate.retrieval_score,
        executable_score: scores.executable,
        needs_input_score: scores.needs_input,
        mismatch_score: scores.mismatch,
        label: scores.mismatch > 0.5 ? "mismatch" : matching,
        confidence: candidate.confidence,
        confidence_threshold: tier.confidence,
        margin_threshold: tier.margin,
        missing_inputs: candidate.missing_inputs,
      };
    });
}

export interface ResponseFacts {
  readonly requestId: string;
  readonly lineage: Lineage;
  readonly workflows: ReadonlyMap<string, Workflow>;
  readonly latencyMs: number;
  readonly candidates: readonly CandidateDetail[] | null;
  readonly shortlist: Shortlist | null;
  /** The two wishes of a text that is declined for them; otherwise null. */
  readonly parts: readonly PartOfText[] | null;
}

/** Builds the response for a decision. The confirmation rule comes from the catalog. */
export function toResponse(decision: Decision, facts: ResponseFacts): RouteResponse {
  const workflow = decision.workflow_id === null ? undefined : facts.workflows.get(decision.workflow_id);
  return {
    request_id: facts.requestId,
    decision: decision.decision,
    workflow_id: decision.workflow_id,
    confidence: decision.confidence,
    reason_code: decision.reason_code,
    missing_inputs: decision.missing_inputs,
    confirmation_required: workflow !== undefined && workflow.confirmation !== "never",
    ...facts.lineage,
    latency_ms: Math.round(facts.latencyMs * 1000) / 1000,
    candidates: facts.candidates,
    shortlist: facts.shortlist,
    ...(decision.negated_workflow_id === undefined ? {} : { negated_workflow_id: decision.negated_workflow_id }),
    ...(facts.parts === null ? {} : { parts: facts.parts }),
  };
}
