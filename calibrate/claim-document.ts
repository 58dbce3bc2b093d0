import type { Claim, TierCalibration } from "../src/domain/calibration.js";
import type { RiskTier } from "../src/domain/choices.js";
import { clopperPearson } from "../src/stats/clopper-pearson.js";
import { type Certification, shownRung, signedTarget, type TestedRequests } from "./certify-claims.js";
import { type Choice, choiceOf } from "./choose-rungs.js";
import { claimSentence } from "./claim-sentence.js";
import { readAsRequests } from "./claims/fixed-catalog.js";
import { boundedFullCoverageIcc } from "./intra-cluster-correlation.js";
import { countRungs, newWorkflows, type Rung } from "./rule.js";

/** The part of a calibration that states one claim. */
export function claimDocument(choice: Choice, certification: Certification, certifiedWorkflows: number): Claim {
  const { claim, rung, reason } = choice;
  const { routed, errors, workflows, designEffect } = shownRung(claim, rung);
  return {
    population: certification.claim === "fixed-catalog" ? "this_catalog" : "new_workflows",
    scope: claim.scope,
    tiers: claim.tiers,
    targetRisk: signedTarget(claim),
    delta: certification.claim === "expected-joint-risk" ? null : claim.test.delta,
    certified: rung !== null,
    reason,
    sentence: claimSentence(choice, certification, certifiedWorkflows),
    requests: claim.requests,
    routed,
    errors,
    workflows,
    effectiveRouted: routed / designEffect,
    upperBound: rung?.upperBound ?? null,
    icc: claim.icc,
    startErrors: claim.tested.start?.errors ?? null,
    trace: claim.tested.trace,
  };
}

/** The tested requests of one tier along the path of its claim, whatever the claim counts. */
function tierRungs(tier: RiskTier, choice: Choice, certification: Certification, { rows }: TestedRequests) {
  const own = rows.filter((row) => row.tier === tier);
  const icc = Math.max(choice.claim.pooledIcc, boundedFullCoverageIcc(own));
  const read =
    certification.claim === "fixed-catalog" ? readAsRequests : newWorkflows({ icc, startIcc: certification.startIcc });
  const path = choice.claim.path.map(({ confidence }) => confidence);
  return { requests: own.length, rungs: countRungs(path, own, read) };
}

/** Two-sided 95 % interval of the wrong share, on effective counts. */
function intervalOf({ routed, errors, designEffect }: Pick<Rung, "routed" | "errors" | "designEffect">) {
  if (routed === 0) return { lowerBound: null, upperBound: null };
  const n = routed / designEffect;
  const { lower, upper } = clopperPearson((errors / routed) * n, n, 0.95);
  return { lowerBound: lower, upperBound: upper };
}

/** The part of a calibration for one tier: thresholds or why there are none, and its own results. */
export function tierDocument(
  tier: RiskTier,
  choices: readonly Choice[],
  certification: Certification,
  tested: TestedRequests,
): TierCalibration {
  const choice = choiceOf(tier, choices) as Choice;
  const { requests, rungs } = tierRungs(tier, choice, certification, tested);
  const threshold = choice.rung?.confidence ?? null;
  const nothing = { routed: 0, errors: 0, workflows: 0, designEffect: 1 };
  const counts = rungs.find(({ confidence }) => confidence === threshold) ?? nothing;
  return {
    confidence: threshold,
    margin: threshold === null ? null : 0,
    abstainReason: choice.reason,
    targetRisk: certification.requiredTiers[tier] ?? null,
    certifyRequests: requests,
    routed: counts.routed,
    errors: counts.errors,
    workflows: counts.workflows,
    designEffect: counts.designEffect,
    ...intervalOf(counts),
    curve:
      threshold === null
        ? []
        : rungs
            .filter(({ confidence }) => confidence >= threshold)
            .map(({ confidence, routed }) => ({ confidence, routed })),
  };
}
