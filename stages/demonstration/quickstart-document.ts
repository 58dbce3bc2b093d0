import { statementOf } from "../../src/documents/calibration.js";
import { riskTiers } from "../../src/documents/choices.js";
import type { Rate } from "../../src/documents/rate.js";
import { claimOutcome } from "../../reports/claim-outcome.js";
import type { Workspace } from "../../store/workspace.js";
import type { Claimed } from "./claims.js";
import type { ProbedDecision } from "./probe.js";
import type { FinishedJob } from "../demonstration.js";

const rate = ({ k, n, clusters, estimate, lower, upper }: Rate) => ({ k, n, clusters, estimate, lower, upper });

/** @param served  whether the bundle uses the thresholds of these claims */
function claimsOf({ calibration, evaluation }: Claimed, served: boolean) {
  return calibration.claims.map((claim) => {
    const { routed, wrong } = claimOutcome(claim, evaluation);
    return {
      population: claim.population,
      scope: claim.scope,
      target_risk: claim.target_risk,
      confidence: Number((1 - claim.delta).toFixed(12)),
      certified: claim.certified,
      served,
      sentence: statementOf(claim),
      eval: { routed, wrong: { k: wrong.k, n: wrong.n } },
    };
  });
}

/**
 * The JSON result of a finished quickstart. Rates are measured on the EVAL fold, on whose workflows nothing was fitted.
 */
export function quickstartDocument(workspace: Workspace, job: FinishedJob, decisions: readonly ProbedDecision[]) {
  const { evaluation, calibration } = job;
  return {
    workspace: workspace.directory,
    bundle_id: job.bundleId,
    decisions,
    claims: [...claimsOf(job, true), ...claimsOf(job.thisCatalog, false)],
    metrics: {
      fold: evaluation.fold,
      retrieval_top1: rate(evaluation.retrieval.top1),
      retrieval_recall_at_5: rate(evaluation.retrieval.recall_at_5),
      verified_top1: rate(evaluation.verified_top1),
      coverage: rate(evaluation.coverage),
      selective_risk: rate(evaluation.selective_risk),
      out_of_scope_routed: rate(evaluation.out_of_scope_routed),
      clarify_precision: rate(evaluation.detail.clarification.precision),
      tiers: riskTiers.map((tier) => {
        const certified = calibration.tiers[tier];
        const measured = evaluation.tiers.find((t) => t.tier === tier);
        return {
          tier,
          target_risk: certified.target_risk,
          confidence: certified.confidence,
          margin: certified.margin,
          abstain_reason: certified.abstain_reason,
          certify_routed: certified.routed,
          certify_errors: certified.errors,
          eval_routed: measured === undefined ? null : rate(measured.routed),
          eval_selective_risk: measured === undefined ? null : rate(measured.selective_risk),
        };
      }),
    },
  };
}
