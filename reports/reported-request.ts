import type { RiskTier } from "../src/documents/choices.js";
import type { ReasonCode } from "../src/documents/decision.js";
import type { Population } from "../src/documents/population.js";

/** One candidate of a request in decision order. */
export interface ReportedCandidate {
  readonly workflowId: string;
  readonly confidence: number;
}

/** One scored request as the report shows it. */
export interface ReportedRequest {
  readonly id: string;
  readonly population: Population;
  /** Requests of one cluster are alike, and count as fewer than their number. */
  readonly cluster: string;
  /** Right workflow; null: out of scope. */
  readonly rightWorkflowId: string | null;
  /** Tier of the workflow that came first; null when nothing came first. */
  readonly tier: RiskTier | null;
  readonly confidence: number;
  /** Whether the right workflow came first. */
  readonly firstIsRight: boolean;
  readonly routed: boolean;
  /** Whether all rules except the confidence threshold of its tier would route it. */
  readonly routable: boolean;
  /** null without thresholds. */
  readonly reason: ReasonCode | null;
  /** Outcome, as named by `sluice eval errors`. */
  readonly bucket: string;
  /** First candidates, in decision order. */
  readonly candidates: readonly ReportedCandidate[];
  /** The shortlist of the request; absent where the calibration certifies none. */
  readonly shortlist?: { readonly length: number; readonly hasRight: boolean };
  /** Present only in a report that shows texts. */
  readonly text?: string;
}
