import type { Calibration } from "../domain/calibration.js";
import type { Catalog } from "../domain/catalog.js";
import type { Decision, ReasonCode } from "../domain/decision.js";
import type { RoutingPolicy } from "../domain/policy.js";
import type { RouteRequest } from "../domain/request.js";
import type { Lineage, RouteResponse } from "../domain/response.js";
import { within } from "../domain/run-scope.js";
import type { Router, ScoredRequest } from "../domain/router.js";
import { decide, declineBeforeScoring } from "../policy/decide.js";
import { CandidateScorer } from "./candidate-scorer.js";
import { decideByEvent } from "./exact-event.js";
import type { LoadedModels } from "./load-models.js";
import { requireCatalogVersion } from "./require-catalog-version.js";
import { candidateDetails, toResponse } from "./respond.js";

export interface RouterParts {
  readonly catalog: Catalog;
  readonly calibration: Calibration;
  readonly policy: RoutingPolicy;
  readonly models: LoadedModels;
  readonly runtimeMode: Lineage["runtimeMode"];
  readonly bundleId: string | null;
  /** Reasons why the bundle is not in order; called before every request, so it must be cheap. */
  readonly integrityProblems: () => readonly string[];
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** One loaded bundle. `route` reads top to bottom in the order of DESIGN section 4. */
export class BundleRouter implements Router {
  readonly lineage: Lineage;
  readonly bundleId: string | null;
  readonly workflowIds: ReadonlySet<string>;
  private readonly parts: RouterParts;
  private readonly scorer: CandidateScorer;

  constructor(parts: RouterParts) {
    this.parts = parts;
    this.scorer = new CandidateScorer({ ...parts, ...parts.models });
    this.bundleId = parts.bundleId;
    this.workflowIds = new Set(this.scorer.workflows.keys());
    this.lineage = {
      modelVersion: this.scorer.modelVersion,
      calibrationVersion: parts.calibration.calibrationVersion,
      catalogVersion: parts.catalog.catalogVersion,
      runtimeMode: parts.runtimeMode,
    };
  }

  integrityProblems(): readonly string[] {
    return [...this.parts.integrityProblems(), ...this.parts.models.problems()];
  }

  close(): Promise<void> {
    return this.parts.models.close();
  }

  async route(request: RouteRequest, signal: AbortSignal | null = null): Promise<RouteResponse> {
    const { calibration, policy, models, now } = this.parts;
    const started = now();
    const scope = within(policy.deadlineMs, now, signal);
    const answer = (decision: Decision, scored: ScoredRequest | null = null): RouteResponse => {
      const shown = request.debug && this.lineage.runtimeMode === "development" && scored !== null;
      return toResponse(decision, {
        requestId: request.requestId,
        lineage: this.lineage,
        workflows: this.scorer.workflows,
        latencyMs: now() - started,
        candidates: shown ? candidateDetails(scored.candidates, calibration) : null,
      });
    };

    requireCatalogVersion(this.lineage, request);
    const refused = this.refusal(request);
    if (refused !== null) return answer(declineBeforeScoring(refused));

    const eligible = this.scorer.eligible(request);
    if (eligible.size === 0) return answer(declineBeforeScoring("NO_ELIGIBLE_WORKFLOW"));

    const byEvent = decideByEvent(request, { policy, eligible, patterns: models.patterns, now });
    if (byEvent !== null) return answer(byEvent);

    const scored = await this.scorer.scoreEligible(request, eligible, scope).catch(() => null);
    if (scored === null) return answer(declineBeforeScoring("BACKEND_UNAVAILABLE"));
    if (scored.earlyReason !== null) return answer(declineBeforeScoring(scored.earlyReason));
    return answer(decide(scored.candidates, calibration), scored);
  }

  score(request: RouteRequest): Promise<ScoredRequest> {
    return this.scorer.score(request);
  }

  /** Rules that end a request before anything is scored. */
  private refusal(request: RouteRequest): ReasonCode | null {
    if (this.parts.integrityProblems().length > 0) return "RUNTIME_INTEGRITY_FAILURE";
    if (this.lineage.runtimeMode === "production") {
      if (request.catalogVersion === null) return "CATALOG_VERSION_REQUIRED";
      if (request.allowedWorkflowIds === null) return "WORKFLOW_ALLOWLIST_REQUIRED";
      if (request.debug && this.parts.policy.refuseDebugInProduction) return "DEBUG_DISABLED";
    }
    const contextBytes = contextSize(request.context);
    if (contextBytes === null) return "INVALID_CONTEXT";
    return contextBytes > this.parts.policy.maxContextBytes ? "CONTEXT_TOO_LARGE" : null;
  }
}

/** Bytes of the context as JSON; null when it has no JSON form. */
function contextSize(context: Readonly<Record<string, unknown>>): number | null {
  try {
    return Buffer.byteLength(JSON.stringify(context, refuseInfinite), "utf8");
  } catch {
    return null;
  }
}

/** JSON would write these numbers as null; a body such as 1e999 brings them in. */
function refuseInfinite(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("a number is not finite");
  return value;
}
