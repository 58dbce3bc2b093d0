import type { FitOptions, Claim, TierCalibration } from "../src/documents/calibration.js";
import type { RiskTier } from "../src/documents/choices.js";
import { readingOf, shownThresholdStep, signedTarget, type TestedRequests } from "./certify-claims.js";
import type { RoutableRow } from "./routable.js";
import { type Choice, choiceOf, languageThresholds } from "./choose-threshold-steps.js";
import { type ClaimBasis, claimStatement } from "./claim-sentence.js";
import { boundedFullCoverageIcc } from "./intra-cluster-correlation.js";
import { countThresholdSteps } from "./fixed-sequence-test.js";

/** The section of a calibration that states one claim. */
export function claimDocument(choice: Choice, fit: FitOptions, basis: ClaimBasis): Claim {
  const { claim, thresholdStep, reason } = choice;
  const { routed, errors, workflows, design_effect } = shownThresholdStep(claim, thresholdStep);
  return {
    population: fit.claim === "fixed-catalog" ? "this_catalog" : "new_workflows",
    scope: claim.scope,
    tiers: claim.tiers,
    target_risk: signedTarget(claim),
    delta: claim.test.delta,
    certified: thresholdStep !== null,
    reason,
    ...claimStatement(choice, fit, basis),
    requests: claim.requests,
    routed,
    errors,
    workflows,
    effective_routed: routed / design_effect,
    upper_bound: thresholdStep?.upper_bound ?? null,
    icc: claim.icc,
    start_errors: claim.tested.start?.errors ?? null,
    trace: claim.tested.trace,
  };
}

/**
 * Counts the tested requests of one tier along the path of its claim, even if the claim counts several tiers. With a
 * threshold for each language, only requests that reach theirs count as routed.
 */
function tierThresholdSteps(tier: RiskTier, choices: readonly Choice[], fit: FitOptions, tested: TestedRequests) {
  const { requests } = tested;
  const choice = choiceOf(tier, choices) as Choice;
  const all = tested.rows.filter((row) => row.tier === tier);
  const thresholds = languageThresholds(choices);
  const leastOf = ({ language }: RoutableRow): number =>
    thresholds?.find((one) => one.language === language)?.confidence ?? Number.POSITIVE_INFINITY;
  const own = thresholds === undefined ? all : all.filter((row) => row.confidence >= leastOf(row));
  const icc = Math.max(choice.claim.pooledIcc, boundedFullCoverageIcc(own));
  const read = readingOf({ ...fit, out_of_scope_share: null }, { rows: own, requests }, icc);
  const path = choice.claim.path.map(({ confidence }) => confidence);
  return { choice, requests: all.length, thresholdSteps: countThresholdSteps(path, own, read) };
}

/** The section of a calibration for one tier: its thresholds (or why there are none) and its results. */
export function tierDocument(
  tier: RiskTier,
  choices: readonly Choice[],
  fit: FitOptions,
  tested: TestedRequests,
): TierCalibration {
  const { choice, requests, thresholdSteps } = tierThresholdSteps(tier, choices, fit, tested);
  const threshold = choice.thresholdStep?.confidence ?? null;
  const nothing = { routed: 0, errors: 0, workflows: 0, design_effect: 1 };
  const counts = thresholdSteps.find(({ confidence }) => confidence === threshold) ?? nothing;
  return {
    confidence: threshold,
    margin: threshold === null ? null : 0,
    abstain_reason: choice.reason,
    target_risk: fit.required_tiers[tier] ?? null,
    certify_requests: requests,
    routed: counts.routed,
    errors: counts.errors,
    workflows: counts.workflows,
    design_effect: counts.design_effect,
    curve:
      threshold === null
        ? []
        : thresholdSteps
            .filter(({ confidence }) => confidence >= threshold)
            .map(({ confidence, routed }) => ({ confidence, routed })),
  };
}
