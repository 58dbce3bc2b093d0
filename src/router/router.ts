import type { Calibration } from "../documents/calibration.js";
import type { BundleId } from "../documents/primitives.js";
import type { Catalog, Workflow } from "../documents/catalog.js";
import type { Decision, ReasonCode, ScoredText } from "../documents/decision.js";
import type { RoutingPolicy } from "../documents/policy.js";
import type { RouteRequest } from "../documents/request.js";
import type { Lineage, PartOfText, RouteResponse, ShortlistResponse, RuntimeMode } from "../documents/response.js";
import type { Shortlist } from "../documents/shortlist.js";
import { type RunScope, within, type WorkClocks } from "../documents/run-scope.js";
import type { BundleMonitor, RouteObserver, Router, ScoredRequest, SignedRelease } from "../documents/router.js";
import type { ErrorCode } from "../base/error-codes.js";
import { SluiceError, toSluiceError } from "../base/error.js";
import { decide, declineBeforeScoring, thresholdsOfText } from "./policy/decide.js";
import type { EligibleWorkflows } from "./policy/eligibility.js";
import { ownCandidates } from "./policy/follow-up.js";
import { askBetween, emptyShortlist, followUpShortlist, shortlist } from "./policy/shortlist.js";
import { CandidateScorer, type ReadWishes } from "./candidate-scorer.js";
import { decideByEvent } from "./exact-event.js";
import { type Explanation, traceOf } from "./explain.js";
import type { LoadedModels } from "./load-models.js";
import { requireCatalogVersion } from "./require-catalog-version.js";
import { candidateDetails, toResponse } from "./respond.js";

export interface RouterParts extends WorkClocks {
  readonly catalog: Catalog;
  readonly calibration: Calibration;
  readonly policy: RoutingPolicy;
  readonly models: LoadedModels;
  readonly runtimeMode: Lineage["runtime_mode"];
  readonly bundleId: BundleId | null;
  /** Reasons why the bundle is not ready; must be cheap. */
  readonly integrityProblems: () => readonly string[];
  /**
   * The same for one request: a check that begins after the call and, as far as the scope allows, after touched files
   * have been read again. Absent if `integrityProblems` suffices.
   */
  readonly integrityChecked?: (scope: RunScope) => Promise<readonly string[]>;
  /** Absent without a manifest. */
  readonly release?: SignedRelease;
  /** Environment named by the approvals. Absent without approvals. */
  readonly environment?: string;
  /** When the approvals expire, as currently known. Absent without approvals. */
  readonly approvedUntil?: () => Date;
  /** Called with the code of each backend failure, for the log; must not throw. */
  readonly onBackendError?: ((failure: BackendFailure) => void) | undefined;
}

export interface BackendFailure {
  readonly request_id: string;
  readonly error_code: ErrorCode;
  readonly bundle_id: BundleId | null;
}

/** How far a request got in the pipeline. */
interface Progress {
  /** null if the request ended before the eligible workflows were determined. */
  readonly eligible: EligibleWorkflows | null;
  /** null if nothing was scored. */
  readonly scored: ScoredRequest | null;
}

/** A request before its candidates are compared with thresholds. */
interface ReadRequest extends Progress {
  /** The decision, if it was made without candidates; otherwise null. */
  readonly decided: Decision | null;
  /** What decides; without candidates if the decision was made. */
  readonly text: ScoredText;
}

/** How far a request got, and what was decided. */
interface Outcome extends Progress {
  readonly decision: Decision;
  /** Set for a request that is declined or asked about, if a shortlist is certified; otherwise null. */
  readonly shortlist: Shortlist | null;
  readonly parts: readonly PartOfText[] | null;
}

/** A loaded bundle. The steps of the pipeline are in `read`, in order. */
export class BundleRouter implements Router {
  readonly lineage: Lineage;
  readonly bundleId: BundleId | null;
  readonly workflowIds: ReadonlySet<string>;
  readonly monitor: BundleMonitor;
  private readonly parts: RouterParts;
  private readonly scorer: CandidateScorer;

  constructor(parts: RouterParts) {
    this.parts = parts;
    this.scorer = new CandidateScorer({ ...parts, ...parts.models });
    this.bundleId = parts.bundleId;
    this.workflowIds = new Set(this.scorer.workflows.keys());
    this.monitor = {
      calibration: parts.calibration,
      release: parts.release ?? null,
      environment: parts.environment ?? null,
      deadlineMs: parts.policy.deadline_ms,
      approvedUntil: () => parts.approvedUntil?.() ?? null,
      statistics: () => parts.models.statistics(),
    };
    this.lineage = {
      model_version: this.scorer.modelVersion,
      calibration_version: parts.calibration.calibration_version,
      catalog_version: parts.catalog.catalog_version,
      runtime_mode: parts.runtimeMode,
    };
  }

  integrityProblems(): readonly string[] {
    return [...this.parts.integrityProblems(), ...this.parts.models.problems()];
  }

  async integrityChecked(scope: RunScope): Promise<readonly string[]> {
    const { integrityProblems, integrityChecked, models } = this.parts;
    const problems = integrityChecked === undefined ? integrityProblems() : await integrityChecked(scope);
    return [...problems, ...models.problems()];
  }

  workflow(workflowId: string): Workflow | null {
    return this.scorer.workflows.get(workflowId) ?? null;
  }

  close(): Promise<void> {
    return this.parts.models.close();
  }

  async route(
    request: RouteRequest,
    signal: AbortSignal | null = null,
    observer: RouteObserver | null = null,
  ): Promise<RouteResponse> {
    return (await this.answer(request, signal, observer)).response;
  }

  /**
   * Routes a request like `route` and returns the full trace as well. Ineligible competitors are not named.
   * @throws {SluiceError} PRODUCTION_CONFIGURATION in production; those of `route`
   */
  async explain(request: RouteRequest): Promise<Explanation> {
    if (this.lineage.runtime_mode === "production") {
      throw new SluiceError("PRODUCTION_CONFIGURATION", "a production router does not explain its decisions");
    }
    const { response, outcome } = await this.answer(request, null, null);
    const { workflows } = this.scorer;
    return { response, trace: traceOf(outcome, { ...this.parts, workflows }) };
  }

  score(request: RouteRequest): Promise<ScoredRequest> {
    return this.scorer.score(request);
  }

  /** Runs the same pipeline as `route`; only the last step differs. */
  async shortlist(
    request: RouteRequest,
    signal: AbortSignal | null = null,
    observer: RouteObserver | null = null,
  ): Promise<ShortlistResponse> {
    const { calibration, policy, now } = this.parts;
    const started = now();
    requireCatalogVersion(this.lineage, request);
    const { decided, text } = await this.read(request, within(policy.deadline_ms, this.parts, signal), observer);
    const found = shortlistOf(decided, text, calibration);
    return {
      request_id: request.request_id,
      ...found,
      ...this.lineage,
      latency_ms: Math.round((now() - started) * 1000) / 1000,
    };
  }

  private async answer(
    request: RouteRequest,
    signal: AbortSignal | null,
    observer: RouteObserver | null,
  ): Promise<{ readonly response: RouteResponse; readonly outcome: Outcome }> {
    const { calibration, policy, now } = this.parts;
    const started = now();
    requireCatalogVersion(this.lineage, request);
    const outcome = await this.outcome(request, within(policy.deadline_ms, this.parts, signal), observer);
    const { decision, scored, shortlist: listed, parts } = outcome;
    observer?.decided(decision);
    const shown = request.debug && this.lineage.runtime_mode === "development";
    const response = toResponse(decision, {
      requestId: request.request_id,
      lineage: this.lineage,
      workflows: this.scorer.workflows,
      latencyMs: now() - started,
      candidates:
        shown && scored !== null
          ? candidateDetails(ownCandidates(scored), thresholdsOfText(scored, calibration))
          : null,
      shortlist: listed,
      parts,
    });
    return { response, outcome };
  }

  private async outcome(request: RouteRequest, scope: RunScope, observer: RouteObserver | null): Promise<Outcome> {
    const { calibration, policy, now } = this.parts;
    const { decided, text, ...progress } = await this.read(request, scope, observer);
    const begin = observer === null ? 0 : now();
    const alone = decided ?? decide(text, calibration);
    const { decision, parts = null } = await this.withOtherWishes(alone, progress.eligible, { request, text, scope });
    const isListed = decision.decision === "LLM_REQUIRED" && (calibration.shortlist?.certified ?? false);
    const listed = isListed ? shortlistOf(decided, text, calibration) : null;
    const answered = listed !== null && policy.ask_between === true ? askBetween(decision, listed) : decision;
    if (decided === null) observer?.stage("decide", begin, now());
    return { ...progress, decision: answered, shortlist: listed, parts };
  }

  /** Declines a request that is about to be routed, or asked about, if its text says more than one wish. */
  private async withOtherWishes(
    alone: Decision,
    eligible: EligibleWorkflows | null,
    { request, text, scope }: Pick<ReadRequest, "text"> & { request: RouteRequest; scope: RunScope },
  ): Promise<Pick<Outcome, "decision"> & { readonly parts?: readonly PartOfText[] }> {
    if (alone.decision === "LLM_REQUIRED" || text.candidates.length === 0) return { decision: alone };
    const read = await this.orReason(request, scope, () =>
      this.scorer.otherWishes(request, ownCandidates(text), scope),
    );
    if (typeof read === "string") return { decision: declineBeforeScoring(read) };
    const { parts = [], wishes } = read;
    const decision = decide({ ...text, ...wishes }, this.parts.calibration);
    if (decision.reason_code !== "MULTI_ACTION_UNSUPPORTED") return { decision };
    const mayName = (id: string): boolean => eligible?.has(id) ?? false;
    return { decision, parts: parts.map((part) => ({ ...part, workflows: part.workflows.filter(mayName) })) };
  }

  private async read(request: RouteRequest, scope: RunScope, observer: RouteObserver | null): Promise<ReadRequest> {
    const { calibration, policy, models, now, workedMs } = this.parts;
    requireWanted(scope);
    const unscored = { eligible: null, scored: null, text: { candidates: [] } } as const;

    const refused = await this.refusal(request, scope);
    if (refused !== null) return { ...unscored, decided: declineBeforeScoring(refused) };

    const eligible = this.scorer.eligible(request);
    const known = { ...unscored, eligible };
    if (eligible.size === 0) return { ...known, decided: declineBeforeScoring("NO_ELIGIBLE_WORKFLOW") };

    const byEvent = decideByEvent(request, {
      policy,
      calibration,
      eligible,
      patterns: models.patterns,
      now,
      workedMs,
    });
    if (byEvent !== null) return { ...known, decided: byEvent };

    const scored = await this.orReason(request, scope, () =>
      this.scorer.scoreEligible(request, eligible, scope, observer),
    );
    if (typeof scored === "string") return { ...known, decided: declineBeforeScoring(scored) };
    const { earlyReason } = scored;
    if (earlyReason !== null) return { ...known, decided: declineBeforeScoring(earlyReason) };
    return { ...known, scored, text: scored, decided: null };
  }

  /**
   * A request that meets a touched file waits until it has been read again. It is declined if the content changed or
   * the time is up.
   */
  private async refusal(request: RouteRequest, scope: RunScope): Promise<ReasonCode | null> {
    const { integrityChecked } = this.parts;
    if (integrityChecked === undefined) return refusalOf(request, this.parts);
    const problems = await integrityChecked(scope);
    requireWanted(scope);
    return refusalOf(request, { ...this.parts, integrityProblems: () => problems });
  }

  /** @returns  what the models found, or the reason to decline if they failed @throws {SluiceError} REQUEST_CANCELLED */
  private async orReason<T extends ScoredRequest | ReadWishes>(
    request: RouteRequest,
    scope: RunScope,
    find: () => Promise<T>,
  ): Promise<T | ReasonCode> {
    try {
      const found = await find();
      requireWanted(scope);
      return found;
    } catch (thrown) {
      requireWanted(scope);
      const { code: errorCode } = toSluiceError(thrown);
      if (errorCode === "PATTERNS_TIMED_OUT") return "INPUT_EXTRACTION_TIMEOUT";
      this.parts.onBackendError?.({ request_id: request.request_id, error_code: errorCode, bundle_id: this.bundleId });
      return "BACKEND_UNAVAILABLE";
    }
  }
}

/**
 * @param decided  null if the candidates decide; otherwise the list contains only the workflow of an exact event, or
 *   nothing
 */
function shortlistOf(decided: Decision | null, text: ScoredText, calibration: Calibration): Shortlist {
  if (decided === null) {
    const alone = shortlist({ ...text, candidates: ownCandidates(text) }, calibration);
    return text.followUp === undefined ? alone : followUpShortlist(alone, text.followUp);
  }
  const { workflow_id: workflowId, confidence, missing_inputs: missingInputs, reason_code: reasonCode } = decided;
  if (workflowId === null) return emptyShortlist(reasonCode);
  return {
    workflows: [{ workflow_id: workflowId, confidence, missing_inputs: missingInputs }],
    complete: true,
    reason_code: reasonCode,
  };
}

function requireWanted({ signal }: RunScope): void {
  if (signal?.aborted !== true) return;
  throw new SluiceError("REQUEST_CANCELLED", "the caller disconnected before the response");
}

interface RefusalRules {
  readonly policy: Pick<RoutingPolicy, "max_context_bytes" | "refuse_debug_in_production">;
  readonly runtimeMode: RuntimeMode;
  /** Reasons why the bundle is not ready. */
  readonly integrityProblems: () => readonly string[];
}

/** The first rule that ends a request before any workflow is considered; null if none does. */
function refusalOf(request: RouteRequest, rules: RefusalRules): ReasonCode | null {
  const { policy, runtimeMode, integrityProblems } = rules;
  if (integrityProblems().length > 0) return "RUNTIME_INTEGRITY_FAILURE";
  if (runtimeMode === "production") {
    if (request.catalog_version === null) return "CATALOG_VERSION_REQUIRED";
    if (request.allowed_workflow_ids === null) return "WORKFLOW_ALLOWLIST_REQUIRED";
    if (request.debug && policy.refuse_debug_in_production) return "DEBUG_DISABLED";
  }
  const contextBytes = contextSize(request.context);
  if (contextBytes === null) return "INVALID_CONTEXT";
  return contextBytes > policy.max_context_bytes ? "CONTEXT_TOO_LARGE" : null;
}

/** Size of the context as JSON, in bytes; null if it cannot be written as JSON. */
function contextSize(context: Readonly<Record<string, unknown>>): number | null {
  try {
    return Buffer.byteLength(JSON.stringify(context, refuseInfinite), "utf8");
  } catch {
    return null;
  }
}

/** Refuses infinite numbers, which JSON would write as null; a body can contain them as 1e999. */
function refuseInfinite(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("a number is not finite");
  return value;
}
