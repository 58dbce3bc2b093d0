import type { Catalog, Workflow } from "../documents/catalog.js";
import type { ReasonCode } from "../documents/decision.js";
import type { RoutingPolicy } from "../documents/policy.js";
import type { RouteRequest } from "../documents/request.js";
import { type RunScope, unbounded } from "../documents/run-scope.js";
import type { RequestScorer, RouteObserver, ScoredRequest } from "../documents/router.js";
import type { TextScores } from "../documents/text-scores.js";
import { activeWorkflows, Eligibility, type EligibleWorkflows } from "./policy/eligibility.js";
import { scoredCandidates } from "./candidates.js";
import type { LoadedModels } from "./load-models.js";

export interface ScorerParts extends Pick<LoadedModels, "modelVersion" | "featureNames" | "scoreText"> {
  readonly catalog: Catalog;
  readonly policy: RoutingPolicy;
  /** Monotonic milliseconds, reported to observers. */
  readonly now: () => number;
}

/** Minimum number of ranked ids that a scored request reports. */
const reportedRanks = 20;

/** The part of the pipeline before thresholds. Evaluation runs and the server use the same class. */
export class CandidateScorer implements RequestScorer {
  readonly modelVersion: string;
  readonly workflows: ReadonlyMap<string, Workflow>;
  private readonly parts: ScorerParts;
  private readonly eligibility: Eligibility;
  /** Active workflows, in the order of their positions in the threads. */
  private readonly active: readonly Workflow[];

  constructor(parts: ScorerParts) {
    this.parts = parts;
    this.eligibility = new Eligibility(parts.catalog, parts.policy.allowed_tiers);
    this.workflows = new Map(parts.catalog.workflows.map((w) => [w.workflow_id, w]));
    this.active = activeWorkflows(parts.catalog);
    this.modelVersion = parts.modelVersion;
  }

  /** Workflows that the request may be routed to. */
  eligible(request: RouteRequest): EligibleWorkflows {
    return this.eligibility.of(request);
  }

  /** Scores without a time limit, so that equal requests give equal bytes. */
  async score(request: RouteRequest): Promise<ScoredRequest> {
    return this.scoreEligible(request, this.eligible(request), unbounded);
  }

  /** Retrieval over the whole active catalog, verification and patterns run in a thread. */
  async scoreEligible(
    request: RouteRequest,
    eligible: EligibleWorkflows,
    scope: RunScope,
    observer: RouteObserver | null = null,
  ): Promise<ScoredRequest> {
    if (eligible.size === 0) return endedBy("NO_ELIGIBLE_WORKFLOW");
    const { policy, featureNames, scoreText, now } = this.parts;
    const { top_k, ineligible_competitors } = policy;
    const begin = observer === null ? 0 : now();
    const scores = await scoreText(
      {
        text: request.text,
        lookedUp: null,
        eligible: eligible.mask,
        topK: top_k,
        ineligibleCompetitors: ineligible_competitors,
        ranks: Math.max(top_k, reportedRanks),
        leftMs: scope.remainingMs(),
        patternBudgetMs: scope.clocks === null ? null : policy.pattern_budget_ms,
      },
      scope,
    );
    if (observer !== null) tellStages(observer, scores, begin, now());
    const { active } = this;
    return {
      candidates: scoredCandidates(scores, { active, featureNames, eligible, context: request.context }),
      earlyReason: null,
      ranking: scores.ranking.map((position) => active[position]?.workflow_id ?? ""),
      textCut: scores.textCut,
      pairsCut: scores.pairsCut,
    };
  }
}

/** The wait for a thread counts as retrieval. */
function tellStages(observer: RouteObserver, { tookMs }: TextScores, begin: number, end: number): void {
  const verified = Math.max(begin, end - tookMs.resolve);
  const ranked = Math.max(begin, verified - tookMs.verify);
  observer.stage("retrieve", begin, ranked);
  observer.stage("verify", ranked, verified);
  observer.stage("resolve", verified, end);
}

function endedBy(earlyReason: ReasonCode): ScoredRequest {
  return { candidates: [], earlyReason, ranking: [], textCut: false, pairsCut: 0 };
}
