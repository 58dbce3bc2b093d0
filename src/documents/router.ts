import type { Calibration } from "./calibration.js";
import type { Workflow } from "./catalog.js";
import type { BundleId } from "./primitives.js";
import type { Decision, ReasonCode, ScoredText } from "./decision.js";
import type { PoolStatistics } from "./pool-statistics.js";
import type { RouteRequest } from "./request.js";
import type { RunScope } from "./run-scope.js";
import type { Lineage, RouteResponse, ShortlistResponse } from "./response.js";

/** Scores of a request before thresholds; `decide()` turns them into a decision. */
export interface ScoredRequest extends ScoredText {
  /** Eligible candidates and ineligible competitors, in retrieval order. Empty if `earlyReason` is set. */
  readonly candidates: ScoredText["candidates"];
  readonly earlyReason: ReasonCode | null;
  /**
   * Ids of the retriever's best workflows over the whole catalog, best first; at least `top_k` if there are that many.
   */
  readonly ranking: readonly string[];
  /** Whether the retriever read only the beginning of the text. */
  readonly textCut: boolean;
  /** Number of candidates whose text or contract exceeded what the verifier can read. */
  readonly pairsCut: number;
}

/** The scoring half of the pipeline, used by evaluation, and by `Router.route` before it decides. */
export interface RequestScorer {
  /** @throws {SluiceError} if a backend fails; the router reports BACKEND_UNAVAILABLE */
  score(request: RouteRequest): Promise<ScoredRequest>;
}

/** Timed stages of a request, in order. */
export const routeStages = ["retrieve", "verify", "resolve", "decide"] as const;
export type RouteStage = (typeof routeStages)[number];

/** Observes how a request is answered, without access to its text. Its methods must be cheap and must not throw. */
export interface RouteObserver {
  /** Called when a stage ends. Monotonic milliseconds. A stage may occur twice if a request is scored again. */
  stage(stage: RouteStage, startedMs: number, endedMs: number): void;
  decided(decision: Decision): void;
}

/** Release number of a bundle in its environment, from its manifest. */
export interface SignedRelease {
  readonly release: number;
  /** Smallest release that may still run after this one has run. */
  readonly rollbackFloor: number;
}

/** State of a loaded bundle, for operators. */
export interface BundleMonitor {
  readonly calibration: Calibration;
  /** null for a router created without a manifest. */
  readonly release: SignedRelease | null;
  /** Environment named by the approvals; null without approvals. */
  readonly environment: string | null;
  /** Time limit of a request under the policy, in milliseconds. */
  readonly deadlineMs: number;
  /** When the approvals expire, as currently known; null without approvals. */
  approvedUntil(): Date | null;
  statistics(): PoolStatistics;
}

export interface Router extends RequestScorer {
  readonly lineage: Lineage;
  readonly bundleId: BundleId | null;
  readonly workflowIds: ReadonlySet<string>;
  /** A workflow of the catalog; null if the catalog has no such id. */
  workflow(workflowId: string): Workflow | null;
  /** null for a router without a bundle to monitor. */
  readonly monitor: BundleMonitor | null;
  /** Reasons why the bundle is not ready; empty if it is. Cheap, because it is called before every request. */
  integrityProblems(): readonly string[];
  /**
   * Like `integrityProblems`, after reading again any files that were only touched, as far as the scope allows. Never
   * rejects.
   */
  integrityChecked(scope: RunScope): Promise<readonly string[]>;
  /**
   * Never rejects because of a backend failure, which is a decision.
   * @throws {SluiceError} CATALOG_VERSION_MISMATCH; REQUEST_CANCELLED when `signal` is aborted before the answer
   */
  route(request: RouteRequest, signal?: AbortSignal | null, observer?: RouteObserver | null): Promise<RouteResponse>;
  /** Returns the certified shortlist of a request; same rules and errors as `route`. */
  shortlist(
    request: RouteRequest,
    signal?: AbortSignal | null,
    observer?: RouteObserver | null,
  ): Promise<ShortlistResponse>;
  /** Stops the workers after their current job. Idempotent. */
  close(): Promise<void>;
}
