import type { RiskTier, VerifierLabel } from "./choices.js";
import type { WorkflowId } from "./primitives.js";
import type { DecisionKind, ReasonCode } from "./decision.js";
import type { Shortlist } from "./shortlist.js";

export type RuntimeMode = "development" | "production";

/** A 200 answer of `POST /v1/route`; the wire form of its body has snake_case keys, and not the shortlist. */
export interface RouteResponse {
  readonly requestId: string;
  readonly decision: DecisionKind;
  readonly workflowId: WorkflowId | null;
  readonly confidence: number;
  readonly reasonCode: ReasonCode;
  readonly missingInputs: readonly string[];
  readonly confirmationRequired: boolean;
  /** Retriever version, "+", verifier version. */
  readonly modelVersion: string;
  readonly calibrationVersion: string;
  readonly catalogVersion: string;
  readonly runtimeMode: RuntimeMode;
  /** Milliseconds, 3 decimals. */
  readonly latencyMs: number;
  /** Decision order; null unless `debug` is honoured (development only). */
  readonly candidates: readonly CandidateDetail[] | null;
  /** Of a request that is declined, or `ASK_BETWEEN`, under a calibration that certifies one; otherwise null. */
  readonly shortlist: Shortlist | null;
}

export interface CandidateDetail {
  readonly workflowId: WorkflowId;
  readonly rank: number;
  readonly riskTier: RiskTier;
  readonly retrievalScore: number;
  readonly executableScore: number;
  readonly needsInputScore: number;
  readonly mismatchScore: number;
  readonly label: VerifierLabel;
  readonly confidence: number;
  readonly confidenceThreshold: number | null;
  readonly marginThreshold: number | null;
  readonly missingInputs: readonly string[];
}

export interface Lineage {
  readonly modelVersion: string;
  readonly calibrationVersion: string;
  readonly catalogVersion: string;
  readonly runtimeMode: RuntimeMode;
}

/** Body of a 200 answer of `POST /v1/shortlist`; the wire form has snake_case keys. */
export interface ShortlistResponse extends Shortlist, Lineage {
  readonly requestId: string;
  /** Milliseconds, 3 decimals. */
  readonly latencyMs: number;
}

/** Body of `GET /health` and `GET /health/ready`. */
export interface Health extends Lineage {
  /** `drifting`: ready, and live decisions differ from what the signed calibration says. */
  readonly status: "ok" | "drifting" | "not_ready";
  readonly ready: boolean;
  readonly generation: number;
  /** The bundle is signed with demonstration keys. */
  readonly demonstration: boolean;
}
