import type { RiskTier } from "../src/documents/choices.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { type DecisionThresholds, decide } from "../src/router/policy/decide.js";

/** A request that is routed if its tier's thresholds are low enough. */
export interface RoutableRow {
  /** Tier of the predicted workflow, which is known when serving. */
  readonly tier: RiskTier;
  /** In [0, 1], 6 decimals: exactly the number that `decide()` compares. */
  readonly confidence: number;
  /** Whether routing the request would be wrong; always true for out-of-scope requests. */
  readonly error: boolean;
  readonly outOfScope: boolean;
  readonly cluster: string;
}

/** Rules that apply before any threshold. */
export type OpenGates = Pick<DecisionThresholds, "calibrator" | "min_retrieval_score"> & {
  readonly certified_workflows: readonly string[] | null;
};

const open = { confidence: 0, margin: 0 };

/** The lowest possible thresholds, which decline only requests that no thresholds would route. */
export function permissiveThresholds({
  calibrator,
  min_retrieval_score,
  certified_workflows,
}: OpenGates): DecisionThresholds {
  return {
    calibrator,
    certified_workflows,
    tiers: { low: open, medium: open, high: open, critical: open },
    clarify_threshold: 0,
    min_retrieval_score,
  };
}

/**
 * The records that some thresholds would route. They are determined by `decide()` itself, so that certification matches
 * serving. Excludes requests with missing inputs, with a better match that the caller may not use, to a workflow
 * without evidence, or below the retrieval floor, and records whose scoring failed.
 */
export function routableRows(records: readonly ScoredRecord[], gates: OpenGates): readonly RoutableRow[] {
  const thresholds = permissiveThresholds(gates);
  const rows: RoutableRow[] = [];
  for (const { candidates, cluster, workflow_id: gold, error_code: errorCode, early_reason: earlyReason } of records) {
    if (errorCode !== null || earlyReason !== null) continue;
    const { decision, workflow_id: workflowId, risk_tier: tier, confidence } = decide(candidates, thresholds);
    if (decision !== "ROUTE" || tier === null) continue;
    rows.push({ tier, confidence, error: workflowId !== gold, outOfScope: gold === null, cluster });
  }
  return rows;
}
