import type { RiskTier } from "../src/documents/choices.js";
import type { ReasonCode } from "../src/documents/decision.js";
import type { Population } from "../src/documents/population.js";

/** One candidate of a request in decision order. */
export interface ReportedCandidate {
  readonly workflowId: string;
  /** Odds relative to those of the first candidate: 1 for the first, otherwise in [0, 1]. */
  readonly odds: number;
}

export interface ReportedRequest {
  readonly id: string;
  readonly population: Population;
  /** Right workflow; null: out of scope. */
  readonly rightWorkflowId: string | null;
  /** Tier of the top candidate; null if there is none. */
  readonly tier: RiskTier | null;
  readonly confidence: number;
  /** Whether the top candidate is the right workflow. */
  readonly firstIsRight: boolean;
  readonly routed: boolean;
  /** Whether all rules other than the tier's confidence threshold would route the request. */
  readonly routable: boolean;
  /** null without thresholds. */
  readonly reason: ReasonCode | null;
  /** Outcome, as named by `sluice eval errors`. */
  readonly bucket: string;
  /** The first candidates, in decision order. */
  readonly candidates: readonly ReportedCandidate[];
  /** The shortlist of the request; omitted if the calibration certifies no shortlists. */
  readonly shortlist?: { readonly length: number; readonly hasRight: boolean };
  /** Present only in a report that shows texts. */
  readonly text?: string;
}
