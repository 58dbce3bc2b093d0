import { matchLogit } from "./policy/apply-calibration.js";
import type { Calibration } from "../documents/calibration.js";
import type { WorkflowId } from "../documents/primitives.js";
import type { Catalog, Workflow } from "../documents/catalog.js";
import type { CandidateDetail, RouteResponse } from "../documents/response.js";
import type { ScoredRequest } from "../documents/router.js";
import { thresholdsOfText } from "./policy/decide.js";
import { ownCandidates } from "./policy/follow-up.js";
import { activeWorkflows } from "./policy/eligibility.js";
import { type OutcomeChange, whatWouldChange } from "./policy/what-would-change.js";
import { candidateDetails } from "./respond.js";

/** A candidate as shown in the answer, with its rank in the whole catalog and the inputs found for it. */
export interface TracedCandidate extends CandidateDetail {
  /** 1-based rank by the retriever over the whole active catalog; null beyond the reported ranks. */
  readonly retrieval_rank: number | null;
  /** Required inputs found in the context or the text, in catalog order. */
  readonly found_inputs: readonly string[];
  /** Odds relative to those of the first candidate: 1 for the first, otherwise in [0, 1]. */
  readonly relative_odds: number;
}

/** One request from text to decision. Does not name workflows that the caller may not use. */
export interface RouteTrace {
  readonly active_workflows: number;
  /** Number of workflows that the request may be routed to; null if it ended before they were determined. */
  readonly eligible_workflows: number | null;
  /** null if nothing was scored. */
  readonly scores: ScoreTrace | null;
}

export interface ScoreTrace {
  /** Best retrieval score of the candidates, including ineligible competitors. */
  readonly best_retrieval: number;
  readonly retrieval_floor: number;
  /** Whether the retriever read only the beginning of the text. */
  readonly text_cut: boolean;
  /** Number of candidates whose text or contract exceeded what the verifier can read. */
  readonly pairs_cut: number;
  /** Number of higher-ranked workflows that were scored although the caller may not use them. */
  readonly ineligible_competitors: number;
  /**
   * Workflow that served the request before; null if none did, or none that the caller may use. Absent for a request that
   * stands alone.
   */
  readonly previous?: WorkflowId | null;
  /** In decision order. */
  readonly candidates: readonly TracedCandidate[];
  readonly changes: readonly OutcomeChange[];
}

export interface Explanation {
  readonly response: RouteResponse;
  readonly trace: RouteTrace;
}

interface TracedOutcome {
  readonly eligible: { readonly size: number } | null;
  readonly scored: ScoredRequest | null;
}

export interface ExplainContext {
  readonly catalog: Catalog;
  readonly calibration: Calibration;
  readonly workflows: ReadonlyMap<string, Workflow>;
}

/** Collects the facts behind an outcome. */
export function traceOf(outcome: TracedOutcome, context: ExplainContext): RouteTrace {
  const { eligible, scored } = outcome;
  return {
    active_workflows: activeWorkflows(context.catalog).length,
    eligible_workflows: eligible === null ? null : eligible.size,
    scores: scored === null ? null : scoreTrace(scored, context),
  };
}

function scoreTrace(scored: ScoredRequest, { calibration, workflows }: ExplainContext): ScoreTrace {
  const { ranking, textCut, pairsCut, followUp } = scored;
  const candidates = calibration.follow_ups === undefined ? ownCandidates(scored) : scored.candidates;
  const logits = new Map<string, number>(
    candidates.map((candidate) => [candidate.workflow_id, matchLogit(candidate.logits)]),
  );
  const details = candidateDetails(candidates, thresholdsOfText(scored, calibration));
  const logitOf = (detail: CandidateDetail | undefined): number => logits.get(detail?.workflow_id ?? "") ?? 0;
  return {
    best_retrieval: Math.max(...candidates.map((candidate) => candidate.retrieval_score)),
    retrieval_floor: calibration.min_retrieval_score,
    text_cut: textCut,
    pairs_cut: pairsCut,
    ineligible_competitors: candidates.filter((candidate) => !candidate.eligible).length,
    ...(followUp === undefined ? {} : { previous: followUp.previous }),
    candidates: details.map((detail) => ({
      ...detail,
      retrieval_rank: ranking.includes(detail.workflow_id) ? ranking.indexOf(detail.workflow_id) + 1 : null,
      relative_odds: Math.min(1, Math.exp(logitOf(detail) - logitOf(details[0]))),
      found_inputs: foundInputs(workflows.get(detail.workflow_id), detail.missing_inputs),
    })),
    changes: whatWouldChange(scored, calibration),
  };
}

function foundInputs(workflow: Workflow | undefined, missing: readonly string[]): readonly string[] {
  const names = workflow?.required_inputs.map((input) => input.name) ?? [];
  return names.filter((name) => !missing.includes(name));
}
