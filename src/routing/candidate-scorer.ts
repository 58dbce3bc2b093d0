import type { Catalog, Workflow } from "../domain/catalog.js";
import type { ReasonCode } from "../domain/decision.js";
import type { RoutingPolicy } from "../domain/policy.js";
import type { RouteRequest } from "../domain/request.js";
import { type RunScope, unbounded, type WorkClocks } from "../domain/run-scope.js";
import type { RequestScorer, RouteObserver, ScoredRequest } from "../domain/router.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import { Eligibility, type EligibleWorkflows } from "../policy/eligibility.js";
import { type CompiledGuard, compileGuards } from "../policy/guards/compile-guards.js";
import { bestPositions } from "../retrieval/best-positions.js";
import type { Retriever } from "../retrieval/retriever.js";
import type { Verifier } from "../verification/verifier.js";
import { boundaryGap } from "./boundary-gap.js";
import { candidatePositions, scoredCandidates } from "./candidates.js";

export interface ScorerParts extends WorkClocks {
  readonly catalog: Catalog;
  readonly policy: RoutingPolicy;
  readonly retriever: Retriever;
  readonly verifier: Verifier;
  readonly patterns: InputPatterns;
}

/** How many ranked ids a scored request reports, beyond the candidates. */
const reportedRanks = 20;

/** The part of the pipeline before thresholds: the same object scores evaluation runs and serves requests. */
export class CandidateScorer implements RequestScorer {
  readonly modelVersion: string;
  readonly workflows: ReadonlyMap<string, Workflow>;
  private readonly parts: ScorerParts;
  /** Text guards of the policy, in the order in which they are asked. */
  readonly guards: readonly CompiledGuard[];
  private readonly eligibility: Eligibility;

  constructor(parts: ScorerParts) {
    this.parts = parts;
    this.eligibility = new Eligibility(parts.catalog, parts.policy.allowedTiers);
    this.guards = compileGuards(parts.policy.guards);
    this.workflows = new Map(parts.catalog.workflows.map((w) => [w.workflowId, w]));
    this.modelVersion = `${parts.retriever.version}+${parts.verifier.version}`;
  }

  /** Workflows that this request may be routed to. */
  eligible(request: RouteRequest): EligibleWorkflows {
    return this.eligibility.of(request);
  }

  /** Scores without a clock and alone, so that equal requests give equal bytes. */
  async score(request: RouteRequest): Promise<ScoredRequest> {
    return this.scoreEligible(request, this.eligible(request), unbounded);
  }

  /** Text guards, retrieval over the whole active catalog, verification in one batch, input resolution. */
  async scoreEligible(
    request: RouteRequest,
    eligible: EligibleWorkflows,
    scope: RunScope,
    observer: RouteObserver | null = null,
  ): Promise<ScoredRequest> {
    if (eligible.size === 0) return endedBy("NO_ELIGIBLE_WORKFLOW");
    const guard = this.guards.find(({ stops }) => stops(request.text));
    if (guard !== undefined) return endedBy(guard.reasonCode);
    const { retriever, verifier, policy, patterns, now, workedMs } = this.parts;
    // A clock is read only where somebody watches: it is also what bounds the patterns.
    const mark = observer === null ? () => 0 : now;
    const begin = mark();
    const ranking = await retriever.rank(request.text, scope);
    const ranked = mark();
    observer?.stage("retrieve", begin, ranked);
    const positions = candidatePositions(ranking, eligible, policy);
    const verification = await verifier.verify(request.text, ranking, positions, scope);
    const verified = mark();
    observer?.stage("verify", ranked, verified);
    const candidates = scoredCandidates(ranking, positions, verification, {
      request,
      workflows: this.workflows,
      eligible,
      patterns,
      patternBudgetMs: policy.patternBudgetMs,
      now,
      workedMs,
    });
    observer?.stage("resolve", verified, mark());
    const best = bestPositions(ranking, Math.max(policy.topK, reportedRanks));
    return {
      candidates,
      earlyReason: null,
      ranking: best.map((p) => ranking.workflowIds[p] ?? ""),
      boundaryGap: boundaryGap(ranking, positions, eligible, policy.sentinels),
      textCut: ranking.truncated,
      pairsCut: verification.truncatedRows,
    };
  }
}

function endedBy(earlyReason: ReasonCode): ScoredRequest {
  return { candidates: [], earlyReason, ranking: [], boundaryGap: null, textCut: false, pairsCut: 0 };
}
