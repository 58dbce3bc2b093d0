import type { Calibration } from "./calibration.js";
import type { Workflow } from "./catalog.js";
import type { BundleId } from "./primitives.js";
import type { Decision, ReasonCode, ScoredCandidate } from "./decision.js";
import type { PoolStatistics } from "./pool-statistics.js";
import type { RouteRequest } from "./request.js";
import type { RunScope } from "./run-scope.js";
import type { Lineage, RouteResponse, ShortlistResponse } from "./response.js";

/** Scores of a request before thresholds; `decide()` turns them into a decision. */
export interface ScoredRequest {
  /** Retrieval order; eligible candidates and ineligible competitors. Empty when `earlyReason` is set. */
  readonly candidates: readonly ScoredCandidate[];
  /** Reason that ended the pipeline before scoring. */
  readonly earlyReason: ReasonCode | null;
  /** Ids of the retriever's best workflows over the whole catalog, best first; at least `top_k` where there are so many. */
  readonly ranking: readonly string[];
  /** true when the retriever read only the beginning of the text. */
  readonly textCut: boolean;
  /** Candidates whose text or contract was longer than the verifier reads. */
  readonly pairsCut: number;
}

/** The scoring half of the pipeline, which evaluation runs, and `Router.route` before deciding. */
export interface RequestScorer {
  /** @throws {SluiceError} when a backend fails; the router turns that into BACKEND_UNAVAILABLE */
  score(request: RouteRequest): Promise<ScoredRequest>;
}

/** Stages of one request that take time, in their order. */
export const routeStages = ["retrieve", "verify", "resolve", "decide"] as const;
export type RouteStage = (typeof routeStages)[number];

/** Sees how one request is answered, without its text. Its methods must be cheap and must not throw. */
export interface RouteObserver {
  /** Called when a stage ends. Monotonic milliseconds; a stage may occur twice, when a request is scored again. */
  stage(stage: RouteStage, startedMs: number, endedMs: number): void;
  decided(decision: Decision): void;
}

/** Release number of a bundle in its environment, from its manifest. */
export interface SignedRelease {
  readonly release: number;
  /** Smallest release that may still run once this one has run. */
  readonly rollbackFloor: number;
}

/** Health of a loaded bundle, for operators. */
export interface BundleMonitor {
  readonly calibration: Calibration;
  /** null for a router that was made without a manifest. */
  readonly release: SignedRelease | null;
  /** Environment that the approvals name; null without approvals. */
  readonly environment: string | null;
  /** Milliseconds that the policy gives a request. */
  readonly deadlineMs: number;
  /** When the approvals expire, as currently known; null without approvals. */
  approvedUntil(): Date | null;
  statistics(): PoolStatistics;
}

/** A loaded, warmed bundle that answers requests. */
export interface Router extends RequestScorer {
  readonly lineage: Lineage;
  readonly bundleId: BundleId | null;
  readonly workflowIds: ReadonlySet<string>;
  /** A workflow of the catalog; null for an id that it does not have. */
  workflow(workflowId: string): Workflow | null;
  /** null for a router that has nothing to watch. */
  readonly monitor: BundleMonitor | null;
  /** Reasons why the bundle is not ready now; empty when ready. Cheap: called before every request. */
  integrityProblems(): readonly string[];
  /** The same, after files that were only touched have been read again, as far as the scope allows. Never rejects. */
  integrityChecked(scope: RunScope): Promise<readonly string[]>;
  /**
   * Never rejects for a backend failure: that is a decision.
   * @throws {SluiceError} CATALOG_VERSION_MISMATCH; REQUEST_CANCELLED when `signal` is aborted before the answer
   */
  route(request: RouteRequest, signal?: AbortSignal | null, observer?: RouteObserver | null): Promise<RouteResponse>;
  /** The certified shortlist of a request, under the rules of `route`, and with its failures. */
  shortlist(
    request: RouteRequest,
    signal?: AbortSignal | null,
    observer?: RouteObserver | null,
  ): Promise<ShortlistResponse>;
  /** Stops the workers after their current run. Idempotent. */
  close(): Promise<void>;
}
