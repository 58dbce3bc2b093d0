import type { Catalog, Workflow } from "../documents/catalog.js";
import { languagesIn, primaryLanguage } from "../base/language.js";
import type { OtherWishes, ReasonCode, ScoredCandidate, ScoredText } from "../documents/decision.js";
import type { WorkflowId } from "../documents/primitives.js";
import type { RoutingPolicy } from "../documents/policy.js";
import type { RouteRequest } from "../documents/request.js";
import { type RunScope, unbounded } from "../documents/run-scope.js";
import type { RequestScorer, RouteObserver, ScoredRequest } from "../documents/router.js";
import type { PartOfText } from "../documents/response.js";
import type { TextScores, TextToScore } from "../documents/text-scores.js";
import { activeWorkflows, Eligibility, type EligibleWorkflows } from "./policy/eligibility.js";
import { ownCandidates } from "./policy/follow-up.js";
import { compileNegation, type FindNegated } from "./policy/negation.js";
import { compileBoundary, type FindBoundary, severalScore } from "./policy/several-wishes.js";
import { type CandidateContext, scoredCandidates } from "./candidates.js";
import type { LoadedModels } from "./load-models.js";

export interface ScorerParts extends Pick<LoadedModels, "modelVersion" | "featureNames" | "scoreText"> {
  readonly catalog: Catalog;
  readonly policy: RoutingPolicy;
  /** Monotonic milliseconds, reported to observers. */
  readonly now: () => number;
}

/** What a text says besides one wish, with its two parts. Workflows are named whatever the caller may use. */
export interface ReadWishes {
  readonly wishes: OtherWishes;
  /** Absent without a sign of two wishes. */
  readonly parts?: readonly PartOfText[];
}

/** Number of workflows named for a part of a text. */
const namedWorkflows = 3;

/** Minimum number of ranked ids that a scored request reports. */
const reportedRanks = 20;

/** The part of the pipeline before thresholds. Evaluation runs and the server use the same class. */
export class CandidateScorer implements RequestScorer {
  readonly modelVersion: string;
  readonly workflows: ReadonlyMap<string, Workflow>;
  private readonly parts: ScorerParts;
  private readonly eligibility: Eligibility;
  /** null under a policy without the words. */
  private readonly findNegated: FindNegated | null;
  private readonly findBoundary: FindBoundary | null;
  /** Active workflows, in the order of their positions in the threads. */
  private readonly active: readonly Workflow[];

  constructor(parts: ScorerParts) {
    this.parts = parts;
    this.eligibility = new Eligibility(parts.catalog, parts.policy.allowed_tiers);
    const { negation = null, several_wishes: several = null } = parts.policy;
    this.findNegated = negation === null ? null : compileNegation(negation);
    this.findBoundary = several === null ? null : compileBoundary(several);
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
    if (scored.candidates.length === 0) return scored;
    const { wishes } = await this.otherWishes(request, ownCandidates(scored), unbounded);
    return { ...scored, ...wishes };
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
    const previous = previousOf(request, eligible);
    const also = previous === null ? null : this.active.findIndex(({ workflow_id: id }) => id === previous);
    const asked = { text: request.text, eligible: eligible.mask, topK, ineligibleCompetitors, also };
    const scores = await this.scores({ ...asked, ranks: Math.max(topK, reportedRanks) }, scope);
    if (observer !== null) tellStages(observer, scores, begin, now());
    const { active } = this;
    const languages = await this.languagesOf(request);
    const context = { active, featureNames, eligible, context: request.context };
    const joined = scores.positions.filter((position) => eligible.hasPosition(position)).length > topK;
    return {
      candidates: joined ? withJoined(scores, context) : scoredCandidates(scores, context),
      ...(languages.length === 0 ? {} : { languages }),
      earlyReason: null,
      ranking: scores.ranking.map((position) => active[position]?.workflow_id ?? ""),
      textCut: scores.textCut,
      pairsCut: scores.pairsCut,
      ...(request.previous === undefined
        ? {}
        : { followUp: { previous, joined, closing: scores.closing ?? 0, new_wish: scores.newWish ?? 0 } }),
    };
  }

  /** The language that the caller states, or those that the text may be in. */
  private async languagesOf({ text, language }: RouteRequest): Promise<readonly string[]> {
    const { language_gate: gate = null } = this.parts.policy;
    if (gate === null) return [];
    return language === null ? languagesIn(text, gate) : [primaryLanguage(language)];
  }

  /** Reads what a text says besides one wish. Scores parts of the text only if its words require that. */
  async otherWishes(
    { text }: Pick<RouteRequest, "text">,
    candidates: ScoredText["candidates"],
    scope: RunScope,
  ): Promise<ReadWishes> {
    const negated = await this.negatedIn(text, scope);
    const { several, parts } = await this.severalIn(text, candidates, scope);
    const wishes = { ...(negated === null ? {} : { negated }), ...(several === undefined ? {} : { several }) };
    return { wishes, ...(parts === undefined ? {} : { parts }) };
  }

  private async negatedIn(text: string, scope: RunScope): Promise<WorkflowId | null> {
    const { findNegated } = this;
    const wish = findNegated?.(text) ?? null;
    if (findNegated === null || wish === null) return null;
    const best = await this.bestFor(wish, 1, scope);
    const workflow = this.workflows.get(best.ids[0] ?? "");
    return workflow === undefined || acceptsNegation(workflow, wish, findNegated) ? null : workflow.workflow_id;
  }

  private async severalIn(
    text: string,
    candidates: ScoredText["candidates"],
    scope: RunScope,
  ): Promise<Pick<OtherWishes, "several"> & Pick<ReadWishes, "parts">> {
    const { several_wishes: words = null } = this.parts.policy;
    const boundary = this.findBoundary?.(text) ?? null;
    if (words === null || boundary === null) return {};
    const [left, right] = await Promise.all([
      this.bestFor(boundary.left, namedWorkflows, scope),
      this.bestFor(boundary.right, namedWorkflows, scope),
    ]);
    const ranked = candidates.toSorted((a, b) => b.retrieval_score - a.retrieval_score);
    const whole = { ids: ranked.map((one) => one.workflow_id), scores: ranked.map((one) => one.retrieval_score) };
    const several = severalScore({ text, boundary, left, right, whole }, words);
    if (several === null) return {};
    return {
      several,
      parts: [
        { text: boundary.left, workflows: left.ids },
        { text: boundary.right, workflows: right.ids },
      ],
    };
  }

  /** The workflows that rank first for a part of a text, whatever the caller may use. */
  private async bestFor(text: string, topK: number, scope: RunScope) {
    const eligible = new Uint8Array(this.active.length).fill(1);
    const asked = { text, eligible, topK, ineligibleCompetitors: 0, ranks: topK, also: null };
    const { positions, retrievalScores } = await this.scores(asked, scope);
    const ids = positions.flatMap((position) => this.active[position]?.workflow_id ?? []);
    return { ids, scores: retrievalScores };
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

/**
 * Whether a negated wish is what a workflow is for: the workflow says so, or one of its texts negates a wish that begins with the
 * same word, such as "do not renew my contract". Another negation among its texts accepts nothing else: "please do not send it" is
 * a wish to cancel, and "don't cancel it" is none.
 */
function acceptsNegation(
  { negation, name, description, capabilities, examples }: Workflow,
  wish: string,
  findNegated: FindNegated,
): boolean {
  if (negation === "accepted") return true;
  return [name, description, ...capabilities, ...examples].some((text) => {
    const own = findNegated(text);
    return own !== null && firstWord(own) === firstWord(wish);
  });
}

const firstWord = (text: string): string => text.toLowerCase().split(/[^\p{L}\p{M}\p{N}']+/u, 1)[0] ?? "";

/** An id that the caller may not use tells nothing, whether the catalog has it or not. */
function previousOf({ previous }: RouteRequest, eligible: EligibleWorkflows): WorkflowId | null {
  const id = previous?.workflow_id ?? null;
  return id !== null && eligible.has(id) ? (id as WorkflowId) : null;
}

/** The candidates of the text, which features describe, and after them the workflow that was verified besides. */
function withJoined(scores: TextScores, context: CandidateContext): readonly ScoredCandidate[] {
  const { positions, retrievalScores, logits } = scores;
  const last = { positions: positions.slice(-1), retrievalScores: retrievalScores.slice(-1), logits: logits.slice(-1) };
  return [
    ...scoredCandidates({ ...scores, positions: positions.slice(0, -1) }, context),
    ...scoredCandidates({ ...last, features: null, patterns: scores.patterns }, context),
  ];
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
