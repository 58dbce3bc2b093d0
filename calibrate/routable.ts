import type { RiskTier } from "../src/documents/choices.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { type DecisionThresholds, decide, languageOfText, type LanguageRules } from "../src/router/policy/decide.js";

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
  /** Language whose threshold decides it. Absent without thresholds by language, and for `wrong_before` in none of these. */
  readonly language?: string | undefined;
  /** Requests that resemble it, or its out-of-scope group; absent if it has no relatives. */
  readonly family?: string | undefined;
  /** Its near-copies, or its out-of-scope group; absent if it has none. */
  readonly nearCopy?: string | undefined;
  /** The request, and the workflow it would be routed to; absent in simulations. */
  readonly request?: Pick<ScoredRecord, "id" | "workflow_id" | "wrong_before">;
  readonly routed?: WorkflowId | null;
}

/** Rules that apply before any threshold. */
export type OpenGates = Pick<DecisionThresholds, "calibrator" | "min_retrieval_score"> & {
  readonly certified_workflows: readonly string[] | null;
  readonly languages?: LanguageRules | undefined;
  readonly several_wishes?: { readonly threshold: number } | undefined;
};

const open = { confidence: 0, margin: 0 };

/** The lowest possible thresholds, which decline only requests that no thresholds would route. */
export function permissiveThresholds({
  calibrator,
  min_retrieval_score,
  certified_workflows,
  languages,
  several_wishes,
}: OpenGates): DecisionThresholds {
  return {
    calibrator,
    certified_workflows,
    languages,
    several_wishes,
    tiers: { low: open, medium: open, high: open, critical: open },
    clarify_threshold: 0,
    min_retrieval_score,
  };
}

/** Family and near-copies of a record. Out of scope, a whole family or group counts as one, because it is wrong as one. */
export function relativesOf({
  family,
  near_copy: nearCopy,
  workflow_id: gold,
  cluster,
}: ScoredRecord): Pick<RoutableRow, "family" | "nearCopy"> {
  if (gold !== null) return { family, nearCopy };
  return { family: family ?? cluster, nearCopy: family ?? cluster };
}

/**
 * The records that some thresholds would route. They are determined by `decide()` itself, so that certification matches
 * serving. Excludes requests with missing inputs, with a better match that the caller may not use, to a workflow
 * without evidence, or below the retrieval floor, and records whose scoring failed. A request that an earlier calibration
 * routed wrongly counts as wrong, at the larger of both confidences, whatever happens to it now (`wrong_before`).
 */
export function routableRows(records: readonly ScoredRecord[], gates: OpenGates): readonly RoutableRow[] {
  const thresholds = permissiveThresholds(gates);
  return records.flatMap((record) => rowOf(record, thresholds) ?? []);
}

function rowOf(record: ScoredRecord, thresholds: DecisionThresholds): RoutableRow | null {
  const { candidates, cluster, workflow_id: gold, wrong_before: wrongBefore } = record;
  if (record.error_code !== null) return null;
  const { decision, workflow_id: workflowId, risk_tier: tier, confidence } = decide(record, thresholds);
  const language = languageOfText(record, thresholds)?.language;
  const row = {
    outOfScope: gold === null,
    cluster,
    language,
    ...relativesOf(record),
    request: record,
    routed: workflowId,
  };
  if (wrongBefore !== undefined) {
    const known = tier ?? candidates[0]?.risk_tier ?? "medium";
    return { tier: known, confidence: Math.max(confidence, wrongBefore), error: true, ...row };
  }
  if (record.early_reason !== null || decision !== "ROUTE" || tier === null) return null;
  return { tier, confidence, error: workflowId !== gold, ...row };
}
