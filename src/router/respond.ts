import type { Calibration } from "../documents/calibration.js";
import type { Workflow } from "../documents/catalog.js";
import type { Decision, ScoredCandidate } from "../documents/decision.js";
import type { VerifierLabel } from "../documents/choices.js";
import type { CandidateDetail, Lineage, RouteResponse } from "../documents/response.js";
import type { Shortlist } from "../documents/shortlist.js";
import { applyCalibration } from "./policy/apply-calibration.js";

/** Probabilities of the three labels: softmax of the logits. */
function labelScores(logits: ScoredCandidate["logits"]): Readonly<Record<VerifierLabel, number>> {
  const top = Math.max(logits.mismatch, logits.needsInput, logits.executable);
  const mismatch = Math.exp(logits.mismatch - top);
  const needsInput = Math.exp(logits.needsInput - top);
  const executable = Math.exp(logits.executable - top);
  const total = mismatch + needsInput + executable;
  return { mismatch: mismatch / total, needs_input: needsInput / total, executable: executable / total };
}

/** Eligible candidates in decision order, for debugging in development. Sentinels are never shown. */
export function candidateDetails(
  candidates: readonly ScoredCandidate[],
  calibration: Calibration,
): readonly CandidateDetail[] {
  return applyCalibration(calibration.calibrator, candidates)
    .filter((candidate) => candidate.eligible)
    .map((candidate, index) => {
      const scores = labelScores(candidate.logits);
      const tier = calibration.tiers[candidate.riskTier];
      const matching = candidate.missingInputs.length > 0 ? "needs_input" : "executable";
      return {
        workflowId: candidate.workflowId,
        rank: index + 1,
        riskTier: candidate.riskTier,
        retrievalScore: candidate.retrievalScore,
        executableScore: scores.executable,
        needsInputScore: scores.needs_input,
        mismatchScore: scores.mismatch,
        label: scores.mismatch > 0.5 ? "mismatch" : matching,
        confidence: candidate.confidence,
        confidenceThreshold: tier.confidence,
        marginThreshold: tier.margin,
        missingInputs: candidate.missingInputs,
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
}

/** The answer of a decision. The confirmation rule comes from the catalog. */
export function toResponse(decision: Decision, facts: ResponseFacts): RouteResponse {
  const workflow = decision.workflowId === null ? undefined : facts.workflows.get(decision.workflowId);
  return {
    requestId: facts.requestId,
    decision: decision.decision,
    workflowId: decision.workflowId,
    confidence: decision.confidence,
    reasonCode: decision.reasonCode,
    missingInputs: decision.missingInputs,
    confirmationRequired: workflow !== undefined && workflow.confirmation !== "never",
    ...facts.lineage,
    latencyMs: Math.round(facts.latencyMs * 1000) / 1000,
    candidates: facts.candidates,
    shortlist: facts.shortlist,
  };
}
