import type { Catalog, Workflow } from "../documents/catalog.js";
import type { OtherWishes, ReasonCode } from "../documents/decision.js";
import type { RoutingPolicy } from "../documents/policy.js";
import type { RouteRequest } from "../documents/request.js";
import { type RunScope, unbounded } from "../documents/run-scope.js";
import type { RequestScorer, RouteObserver, ScoredRequest } from "../documents/router.js";
import type { TextScores, TextToScore } from "../documents/text-scores.js";
import { activeWorkflows, Eligibility, type EligibleWorkflows } from "./policy/eligibility.js";
import { compileNegation, type FindNegated } from "./policy/negation.js";
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
  /** null under a policy without words of negation. */
  private readonly findNegated: FindNegated | null;
  /** Active workflows, in the order of their positions in the threads. */
  private readonly active: readonly Workflow[];

  constructor(parts: ScorerParts) {
    this.parts = parts;
    this.eligibility = new Eligibility(parts.catalog, parts.policy.allowed_tiers);
    const { negation } = parts.policy;
    this.findNegated = negation === undefined ? null : compileNegation(negation);
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
    const scored = await this.scoreEligible(request, this.eligible(request), unbounded);
    return scored.candidates.length === 0 ? scored : { ...scored, ...(await this.otherWishes(request, unbounded)) };
  }

  /** Retrieval over the whole active catalog, verification and patterns run in a thread. */
  async scoreEligible(
    request: RouteRequest,
    eligible: EligibleWorkflows,
    scope: RunScope,
    observer: RouteObserver | null = null,
  ): Promise<ScoredRequest> {
    if (eligible.size === 0) return endedBy("NO_ELIGIBLE_WORKFLOW");
    const { policy, featureNames, now } = this.parts;
    const { top_k: topK, ineligible_competitors: ineligibleCompetitors } = policy;
    const begin = observer === null ? 0 : now();
    const asked = { text: request.text, eligible: eligible.mask, topK, ineligibleCompetitors };
    const scores = await this.scores({ ...asked, ranks: Math.max(topK, reportedRanks) }, scope);
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

  /** Reads what a text says besides one wish. Scores other texts only if its words require that. */
  async otherWishes({ text }: Pick<RouteRequest, "text">, scope: RunScope): Promise<OtherWishes> {
    const { findNegated } = this;
    const wish = findNegated?.(text) ?? null;
    if (findNegated === null || wish === null) return {};
    const workflow = await this.bestFor(wish, scope);
    if (workflow === null || acceptsNegation(workflow, findNegated)) return {};
    return { negated: workflow.workflow_id };
  }

  /** The workflow that ranks first for a part of a text, whatever the caller may use; null if none matches. */
  private async bestFor(text: string, scope: RunScope): Promise<Workflow | null> {
    const eligible = new Uint8Array(this.active.length).fill(1);
    const scores = await this.scores({ text, eligible, topK: 1, ineligibleCompetitors: 0, ranks: 1 }, scope);
    return this.active[scores.positions[0] ?? -1] ?? null;
  }

  private scores(
    asked: Omit<TextToScore, "lookedUp" | "leftMs" | "patternBudgetMs">,
    scope: RunScope,
  ): Promise<TextScores> {
    const { policy, scoreText } = this.parts;
    const patternBudgetMs = scope.clocks === null ? null : policy.pattern_budget_ms;
    return scoreText({ ...asked, lookedUp: null, leftMs: scope.remainingMs(), patternBudgetMs }, scope);
  }
}

/** Whether a workflow says so, or has a text that is a negation itself, such as "do not renew my contract". */
function acceptsNegation(
  { negation, name, description, capabilities, examples }: Workflow,
  findNegated: FindNegated,
): boolean {
  if (negation === "accepted") return true;
  return [name, description, ...capabilities, ...examples].some((text) => findNegated(text) !== null);
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
