import { aWorkflow } from "../../support/builders.js";
import type { RiskTier } from "../../../src/documents/choices.js";
import type { WorkflowId, BundleId } from "../../../src/documents/primitives.js";
import type { Decision, ScoredCandidate } from "../../../src/documents/decision.js";
import type { RouteRequest } from "../../../src/documents/request.js";
import type { CandidateDetail, RouteResponse, RuntimeMode } from "../../../src/documents/response.js";
import type { BundleMonitor, Router, ScoredRequest } from "../../../src/documents/router.js";
import { emptyShortlist, shortlist } from "../../../src/router/policy/shortlist.js";
import { decide, declineBeforeScoring, type DecisionThresholds } from "../../../src/router/policy/decide.js";

const tier = { confidence: 0.6, margin: 0.1 };
const thresholds: DecisionThresholds = {
  calibrator: { slope: 1, intercept: 0 },
  tiers: { low: tier, medium: tier, high: tier, critical: tier },
  clarify_threshold: 0.5,
  min_retrieval_score: 0.05,
};

function candidate(workflowId: string, executable: number, riskTier: RiskTier): ScoredCandidate {
  const logits = { mismatch: 0, needs_input: -9, executable };
  return {
    workflow_id: workflowId as WorkflowId,
    risk_tier: riskTier,
    eligible: true,
    retrieval_score: 0.9,
    logits,
    missing_inputs: [],
    input_timeout: false,
  };
}

const candidates = [candidate("card.block", 4, "medium"), candidate("card.order", -1, "low")];

export interface FixtureOptions {
  readonly mode?: RuntimeMode;
  readonly catalogVersion?: string;
  readonly bundleId?: string;
  readonly monitor?: BundleMonitor;
  /** Workflows that this router never considers. */
  readonly blocked?: readonly string[];
  /** Runs inside each route, before the answer. */
  readonly during?: (request: RouteRequest, signal: AbortSignal | null | undefined) => Promise<void>;
}

/** A router over two fixed workflows that decides with the real policy, and records what reaches it. */
export interface FixtureRouter extends Router {
  readonly seen: RouteRequest[];
  /** What `integrityProblems` reports; a test may fill and empty it. */
  readonly problems: string[];
  readonly closed: { count: number };
}

export function fixtureRouter(options: FixtureOptions = {}): FixtureRouter {
  const { mode = "production", catalogVersion = "cat-1" } = options;
  const lineage = {
    model_version: "lex-1+pair-1",
    calibration_version: "cal-1",
    catalog_version: catalogVersion,
    runtime_mode: mode,
  } as const;
  const seen: RouteRequest[] = [];
  const problems: string[] = [];
  const closed = { count: 0 };
  const score = async (request: RouteRequest): Promise<ScoredRequest> => {
    const kept = eligible(request);
    const ranking = kept.map((entry) => entry.workflow_id);
    return { candidates: kept, earlyReason: null, ranking, textCut: false, pairsCut: 0 };
  };
  return {
    lineage,
    bundleId: (options.bundleId ?? "b".repeat(64)) as BundleId,
    monitor: options.monitor ?? null,
    workflowIds: new Set(candidates.map((entry) => entry.workflow_id)),
    workflow: (workflowId) => (workflowId.startsWith("card.") ? aWorkflow({ workflow_id: workflowId }) : null),
    seen,
    problems,
    closed,
    score,
    integrityProblems: () => problems,
    integrityChecked: async () => problems,
    async close() {
      closed.count += 1;
    },
    async route(request, signal, observer): Promise<RouteResponse> {
      seen.push(request);
      await options.during?.(request, signal);
      const blockedWorkflowIds = [...request.blocked_workflow_ids, ...(options.blocked ?? [])];
      const decision = decisionOf({ ...request, blocked_workflow_ids: blockedWorkflowIds }, mode, problems);
      observer?.decided(decision);
      const { workflow_id: workflowId, confidence, reason_code: reasonCode, missing_inputs: missingInputs } = decision;
      const showsCandidates = request.debug && mode === "development";
      return {
        request_id: request.request_id,
        decision: decision.decision,
        workflow_id: workflowId,
        confidence,
        reason_code: reasonCode,
        missing_inputs: missingInputs,
        confirmation_required: false,
        ...lineage,
        latency_ms: 1.25,
        candidates: showsCandidates ? eligible(request).map(detail) : null,
        shortlist: null,
      };
    },
    async shortlist(request, signal) {
      seen.push(request);
      await options.during?.(request, signal);
      const rules = { ...thresholds, shortlist: { entry: 0.1, share: 0.001, size: 5 } };
      const declined = problems.length > 0;
      const found = declined
        ? emptyShortlist("RUNTIME_INTEGRITY_FAILURE")
        : shortlist({ candidates: eligible(request) }, rules);
      return { request_id: request.request_id, ...found, ...lineage, latency_ms: 1.25 };
    },
  };
}

function decisionOf(request: RouteRequest, mode: RuntimeMode, problems: readonly string[]): Decision {
  if (problems.length > 0) return declineBeforeScoring("RUNTIME_INTEGRITY_FAILURE");
  if (mode === "production" && request.catalog_version === null)
    return declineBeforeScoring("CATALOG_VERSION_REQUIRED");
  if (mode === "production" && request.allowed_workflow_ids === null) {
    return declineBeforeScoring("WORKFLOW_ALLOWLIST_REQUIRED");
  }
  const kept = eligible(request);
  return kept.length === 0 ? declineBeforeScoring("NO_ELIGIBLE_WORKFLOW") : decide({ candidates: kept }, thresholds);
}

function eligible(request: RouteRequest): readonly ScoredCandidate[] {
  const { allowed_workflow_ids: allowedWorkflowIds, blocked_workflow_ids: blockedWorkflowIds } = request;
  return candidates.filter(
    ({ workflow_id: workflowId }) =>
      (allowedWorkflowIds?.includes(workflowId) ?? true) && !blockedWorkflowIds.includes(workflowId),
  );
}

function detail(scored: ScoredCandidate, index: number): CandidateDetail {
  return {
    workflow_id: scored.workflow_id,
    rank: index + 1,
    risk_tier: scored.risk_tier,
    retrieval_score: scored.retrieval_score,
    executable_score: 0.98,
    needs_input_score: 0.01,
    mismatch_score: 0.01,
    label: "executable",
    confidence: 0.98,
    confidence_threshold: 0.6,
    margin_threshold: 0.1,
    missing_inputs: [],
  };
}
