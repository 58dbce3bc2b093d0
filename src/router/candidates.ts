import type { ScoredCandidate } from "../documents/decision.js";
import type { Workflow } from "../documents/catalog.js";
import type { RoutingPolicy } from "../documents/policy.js";
import type { TextScores } from "../documents/text-scores.js";
import { resolveFound } from "./inputs/resolve.js";
import type { EligibleWorkflows } from "./policy/eligibility.js";
import { firstEligible } from "./policy/apply-calibration.js";
import { bestPositions, outranks } from "./retrieval/best-positions.js";
import type { Ranking } from "./retrieval/retriever.js";
import type { FeatureRows } from "./verification/verifier.js";

/**
 * Positions of the workflows to verify, in ranking order: the best `topK` eligible ones, and the best
 * `ineligible_competitors` ineligible ones that rank above the last of those.
 * @param best  the first positions of the ranking, best first; if they include all candidates, no others are examined
 */
export function candidatePositions(
  ranking: Ranking,
  eligible: Pick<EligibleWorkflows, "hasPosition">,
  policy: Pick<RoutingPolicy, "top_k" | "ineligible_competitors">,
  best: readonly number[],
): readonly number[] {
  const among = candidatesAmong(best, eligible, policy);
  if (among !== null) return among;
  const chosen = bestPositions(ranking, policy.top_k, (position) => eligible.hasPosition(position));
  const last = chosen.at(-1);
  if (last === undefined) return [];
  const competitors = bestPositions(
    ranking,
    policy.ineligible_competitors,
    (position) => !eligible.hasPosition(position) && outranks(ranking, position, last),
  );
  return [...chosen, ...competitors].sort((a, b) => (outranks(ranking, a, b) ? -1 : 1));
}

/** null if these positions include too few eligible ones. */
function candidatesAmong(
  best: readonly number[],
  eligible: Pick<EligibleWorkflows, "hasPosition">,
  policy: Pick<RoutingPolicy, "top_k" | "ineligible_competitors">,
): readonly number[] | null {
  const candidates: number[] = [];
  let [wanted, competitors] = [policy.top_k, policy.ineligible_competitors];
  for (const position of best) {
    if (wanted === 0) break;
    const isEligible = eligible.hasPosition(position);
    if (!isEligible && competitors === 0) continue;
    candidates.push(position);
    if (isEligible) wanted -= 1;
    else competitors -= 1;
  }
  return wanted === 0 ? candidates : null;
}

export interface CandidateContext {
  /** The active workflows, in the order of their positions. */
  readonly active: readonly Workflow[];
  /** Names of the verifier's features; null for a verifier without features. */
  readonly featureNames: readonly string[] | null;
  readonly eligible: Pick<EligibleWorkflows, "hasPosition">;
  /** Input values supplied by the caller. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** Combines scores, catalog and context. Tiers and inputs come from the catalog, never from a model. */
export function scoredCandidates(
  {
    positions,
    retrievalScores,
    logits,
    features,
    patterns,
  }: Pick<TextScores, "positions" | "retrievalScores" | "logits" | "features" | "patterns">,
  { active, featureNames, eligible, context }: CandidateContext,
): readonly ScoredCandidate[] {
  const candidates = positions.flatMap((position, index): readonly ScoredCandidate[] => {
    const workflow = active[position];
    const scores = logits[index];
    if (workflow === undefined || scores === undefined) return [];
    const isEligible = eligible.hasPosition(position);
    const inputs = isEligible ? resolveFound(workflow, context, patterns) : { missing: [], timedOut: false };
    return [
      {
        workflow_id: workflow.workflow_id,
        risk_tier: workflow.risk_tier,
        eligible: isEligible,
        retrieval_score: retrievalScores[index] ?? 0,
        logits: scores,
        missing_inputs: inputs.missing,
        input_timeout: inputs.timedOut,
      },
    ];
  });
  if (features === null || featureNames === null) return candidates;
  return withFirstFeatures(candidates, { names: featureNames, values: features }, (id) =>
    positions.findIndex((position) => active[position]?.workflow_id === id),
  );
}

/** Adds the verifier's features to the first eligible candidate only, because calibrators use no other. */
function withFirstFeatures(
  candidates: readonly ScoredCandidate[],
  { names, values }: FeatureRows,
  rowOf: (workflowId: string) => number,
): readonly ScoredCandidate[] {
  const first = firstEligible(candidates);
  if (first === null) return candidates;
  const from = rowOf(first.workflow_id) * names.length;
  const features = { names, values: Array.from(values.subarray(from, from + names.length)) };
  return candidates.map((candidate) =>
    candidate.workflow_id === first.workflow_id ? { ...candidate, features } : candidate,
  );
}
