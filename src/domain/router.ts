import type { ReasonCode, ScoredCandidate } from "./decision.js";
import type { RouteRequest } from "./request.js";
import type { Lineage, RouteResponse } from "./response.js";

/** What the pipeline knows of a request before thresholds; `decide()` turns it into a decision. */
export interface ScoredRequest {
  /** Retrieval order; eligible candidates and sentinels. Empty when `earlyReason` is set. */
  readonly candidates: readonly ScoredCandidate[];
  /** Reason that ended the pipeline before scoring. */
  readonly earlyReason: ReasonCode | null;
  /** Ids of the retriever's best workflows over the whole catalog, best first; at least `top_k` where there are so many. */
  readonly ranking: readonly string[];
  /** See `boundaryGap` of src/routing: distance of retrieval scores at the edge of the candidates; null without an edge. */
  readonly boundaryGap: number | null;
  /** true when the retriever read only the beginning of the text. */
  readonly textCut: boolean;
  /** Candidates whose text or contract was longer than the verifier reads. */
  readonly pairsCut: number;
}

/** The scoring half of the pipeline: what evaluation runs, and what `Router.route` runs before deciding. */
export interface RequestScorer {
  /** @throws {SluiceError} when a backend fails; the router turns that into BACKEND_UNAVAILABLE */
  score(request: RouteRequest): Promise<ScoredRequest>;
}

/** A loaded, warmed bundle that answers requests. */
export interface Router extends RequestScorer {
  readonly lineage: Lineage;
  readonly bundleId: string | null;
  readonly workflowIds: ReadonlySet<string>;
  /** Reasons why the bundle is not in order now; empty when ready. Cheap: called before every request. */
  integrityProblems(): readonly string[];
  /**
   * Never rejects for a backend failure: that is a decision.
   * @throws {SluiceError} CATALOG_VERSION_MISMATCH; REQUEST_CANCELLED when `signal` is aborted before the answer
   */
  route(request: RouteRequest, signal?: AbortSignal | null): Promise<RouteResponse>;
  /** Stops the workers after their current run. Idempotent. */
  close(): Promise<void>;
}
