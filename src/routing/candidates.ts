import type { ScoredCandidate } from "../domain/decision.js";
import type { Workflow } from "../domain/catalog.js";
import type { RoutingPolicy } from "../domain/policy.js";
import type { WorkClocks } from "../domain/run-scope.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import { patternBudget, resolveInputs } from "../inputs/resolve.js";
import type { EligibleWorkflows } from "../policy/eligibility.js";
import { firstEligible } from "../policy/apply-calibration.js";
import { bestPositions, outranks } from "../retrieval/best-positions.js";
import type { Ranking } from "../retrieval/retriever.js";
import type { EvidenceRows, Verification } from "../verification/verifier.js";

/**
 * Positions of the workflows to verify, in ranking order: the best `topK` eligible ones, and the best `sentinels`
 * ineligible ones that outrank the last of them.
 */
export function candidatePositions(
  ranking: Ranking,
  eligible: Pick<EligibleWorkflows, "hasPosition">,
  policy: Pick<RoutingPolicy, "topK" | "sentinels">,
): readonly number[] {
  const chosen = bestPositions(ranking, policy.topK, (position) => eligible.hasPosition(position));
  const last = chosen.at(-1);
  if (last === undefined) return [];
  const sentinels = bestPositions(
    ranking,
    policy.sentinels,
    (position) => !eligible.hasPosition(position) && outranks(ranking, position, last),
  );
  return [...chosen, ...sentinels].sort((a, b) => (outranks(ranking, a, b) ? -1 : 1));
}

export interface CandidateContext extends WorkClocks {
  readonly request: { readonly text: string; readonly context: Readonly<Record<string, unknown>> };
  readonly workflows: ReadonlyMap<string, Workflow>;
  readonly eligible: Pick<EligibleWorkflows, "has">;
  readonly patterns: InputPatterns;
  readonly patternBudgetMs: number;
}

/** Joins ranking, verification and input resolution. Tiers and inputs come from the catalog, never from a model. */
export function scoredCandidates(
  ranking: Ranking,
  positions: readonly number[],
  { logits, evidence }: Pick<Verification, "logits" | "evidence">,
  context: CandidateContext,
): readonly ScoredCandidate[] {
  const budget = patternBudget(context.patternBudgetMs, context);
  const candidates = positions.flatMap((position, index): readonly ScoredCandidate[] => {
    const workflow = context.workflows.get(ranking.workflowIds[position] ?? "");
    const scores = logits[index];
    if (workflow === undefined || scores === undefined) return [];
    const eligible = context.eligible.has(workflow.workflowId);
    const inputs = eligible
      ? resolveInputs(workflow, context.request, context.patterns, budget)
      : { missing: [], timedOut: false };
    return [
      {
        workflowId: workflow.workflowId,
        riskTier: workflow.riskTier,
        eligible,
        retrievalScore: ranking.scores[position] ?? 0,
        logits: scores,
        missingInputs: inputs.missing,
        inputTimeout: inputs.timedOut,
      },
    ];
  });
  if (evidence === null) return candidates;
  return withFirstEvidence(candidates, evidence, (id) => positions.findIndex((p) => ranking.workflowIds[p] === id));
}

/** The first eligible candidate gets what the verifier read of it: calibrators look at no other. */
function withFirstEvidence(
  candidates: readonly ScoredCandidate[],
  { features, values }: EvidenceRows,
  rowOf: (workflowId: string) => number,
): readonly ScoredCandidate[] {
  const first = firstEligible(candidates);
  if (first === null) return candidates;
  const from = rowOf(first.workflowId) * features.length;
  const evidence = { features, values: Array.from(values.subarray(from, from + features.length)) };
  return candidates.map((candidate) =>
    candidate.workflowId === first.workflowId ? { ...candidate, evidence } : candidate,
  );
}
